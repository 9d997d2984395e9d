// first.mjs: which requests does a page send first?
//
// This script runs first: the answers are on their way while the browser parses the others.
import { expectFirst } from "./ask.mjs";
import { aboutAddress, hasSides, heatmapAddress, parseHash } from "./query.mjs";
import { Search } from "./search.mjs";

const COLUMNS_MOST = 300, COLUMN_LEAST = 4; // of the heat map; pixels

// Comparisons have no heat map.
export function mapAddress(state, about, searchPattern) {
	const columns = Math.min(COLUMNS_MOST, Math.floor(window.innerWidth / COLUMN_LEAST));
	return hasSides(about) ? "" : heatmapAddress(state, Math.max(columns, 1), searchPattern);
}

const state = parseHash(location.hash), search = new Search();
search.set(state);
for (const address of [mapAddress(state, {}, search.serverPattern), aboutAddress(state), "profiles", "capabilities"])
	expectFirst(address);
