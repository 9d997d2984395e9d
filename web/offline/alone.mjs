// alone.mjs: stands for ../view/served.mjs in a page in one file, which has none of these features.
export function follow() {}
