// columns.mjs: what is in the binary tables that the server sends? Little-endian, used where they lie.

const TYPES = {u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f64: Float64Array};

// {header, columns}: the columns by their names. Throws what is wrong with a table that is cut short.
export function parseColumns(buffer) {
	const length = buffer.byteLength < 4 ? 0 : new DataView(buffer).getUint32(0, true);
	if (!length || 4 + length > buffer.byteLength)
		throw new Error("The server's answer is not a table");
	const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
	const columns = {};
	let at = 4 + length;
	for (const {name, type, count} of header.columns) {
		const Type = TYPES[type];
		if (at + count * Type.BYTES_PER_ELEMENT > buffer.byteLength)
			throw new Error("The server's answer ends within " + name);
		columns[name] = new Type(buffer, at, count);
		at += Math.ceil(count * Type.BYTES_PER_ELEMENT / 8) * 8;
	}
	return {header, columns};
}
