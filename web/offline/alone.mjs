// alone.mjs: what has a page only where kiln view serves it? Nothing, where it is one file.
//
// In place of ../view/served.mjs.
export function follow() {}
