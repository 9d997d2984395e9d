// page_module.mjs: the module of a page that is one file, in the page's own thread, run by node.

// html (latin1) => (address) => what is said: {body, type} or {error}, in the order of the questions.
export function openPage(html, name) {
	const element = (id) => new RegExp(`<script type="text/plain" id="${id}"([^>]*)>([^<]*)</script>`).exec(html);
	const worker = /<script type="text\/plain" id="worker-code">([^]*?)<\/script>/.exec(html)[1];
	const [, about, profile] = element("profile-data");
	const number = (key) => Number(new RegExp(`data-${key}="(\\d+)"`).exec(about)[1]);
	const waiting = [];
	const self = { postMessage: (said) => waiting.shift()(said) };
	new Function("self", worker)(self);
	self.onmessage({ data: { module: element("module-code")[2], profile, size: number("size"),
		projection: number("projection"), name } });
	return (address) => new Promise((resolve) => {
		waiting.push(resolve);
		self.onmessage({ data: { ask: address } });
	});
}
