// columns.mjs: how are binary tables of the server decoded? They are little-endian, and used without copying.

const TYPES = {u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array};

// Returns {header, columns}: columns by name. Throws an Error if the table is incomplete.
export function parseColumns(buffer) {
	const length = buffer.byteLength < 4 ? 0 : new DataView(buffer).getUint32(0, true);
	if (!length || 4 + length > buffer.byteLength)
		throw new Error("Invalid answer: not a table");
	const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
	const columns = {};
	let at = 4 + length;
	for (const {name, type, count} of header.columns) {
		const Type = TYPES[type];
		if (at + count * Type.BYTES_PER_ELEMENT > buffer.byteLength)
			throw new Error("Incomplete answer: it ends in column " + name);
		columns[name] = new Type(buffer, at, count);
		at += Math.ceil(count * Type.BYTES_PER_ELEMENT / 8) * 8;
	}
	return {header, columns};
}
