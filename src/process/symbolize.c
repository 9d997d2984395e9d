/* symbolize.c: what are the functions at a profile's addresses called?
 *
 * Locations are sorted by mapping and address, so that each module is looked up once and a function
 * is demangled once, however many of its addresses were sampled. */
#include "process/symbolize.h"

#include "process/unnamed.h"

#include <stdio.h>
#include <stdlib.h>

struct work {
	uint64_t address;
	mapping_id mapping;
	location_id location;
};

struct namer {
	struct profile *profile;
	const struct symbolize_options *options;
	const struct symbolize_hooks *hooks; /* NULL: not live */
	struct image_cache *cache;
	struct kernel *own_kernel;
	struct error kernel_error;
	bool kernel_tried;
	struct symbolize_report *report; /* or NULL */
	struct unnamed_counts counts;

	/* The function that was found last: */
	mapping_id mapping;
	uint64_t start;
	bool plt;
	frame_id frame;
	struct buffer text;
};

/* ---- What is to be named ---- */

static struct bytes module_of(const struct profile *p, const struct mapping *mapping)
{
	struct bytes file = profile_text(p, mapping->file);
	const char *slash = file.len ? memrchr(file.at, '/', file.len) : NULL;

	switch (mapping->kind) {
	case MAPPING_KERNEL:
		return BYTES("[kernel]");
	case MAPPING_JIT:
		return BYTES("[jit]");
	default:
		if (slash)
			return (struct bytes){slash + 1, file.len - (size_t)(slash + 1 - file.at)};
		return file;
	}
}

static enum frame_kind kind_of(const struct mapping *mapping)
{
	switch (mapping->kind) {
	case MAPPING_KERNEL:
	case MAPPING_MODULE:
		return FRAME_KERNEL;
	case MAPPING_JIT:
		return FRAME_JIT;
	default:
		return FRAME_NATIVE;
	}
}

/* "[libfoo.so]", "[kernel]", "[unknown]" */
static void placeholder(struct buffer *text, const struct mapping *mapping, struct bytes module)
{
	text->len = 0;
	if (mapping->kind == MAPPING_JIT || !module.len)
		buffer_text(text, "[unknown]");
	else if (module.at[0] == '[')
		buffer_add(text, module.at, module.len);
	else
		buffer_printf(text, "[%.*s]", (int)module.len, module.at);
}

/* "[libfoo.so+0x1a2b]", "[vdso+0x7a0]": of a file that is not here. */
static void placeholder_with_offset(
	struct buffer *text, const struct mapping *mapping, struct bytes module, uint64_t offset)
{
	bool is_file = mapping->kind == MAPPING_FILE || mapping->kind == MAPPING_VDSO;

	placeholder(text, mapping, module);
	if (!is_file || !module.len)
		return;
	text->len--;
	buffer_printf(text, "+0x%llx]", (unsigned long long)offset);
}

static bool is_named(const struct profile *p, location_id location, struct bytes name)
{
	struct span names = p->location_names.items[location];

	return names.count == 1 &&
	       bytes_equal(name,
		       profile_text(
			       p, p->frames.items[p->location_frames.items[names.first]].function));
}

static bool is_placeholder(struct namer *n, location_id location)
{
	const struct profile *p = n->profile;
	struct span names = p->location_names.items[location];
	const struct location *l = &p->locations.items[location];
	const struct mapping *mapping = &p->mappings.items[l->mapping];
	struct bytes name;

	if (names.count != 1)
		return false;
	name = profile_text(p, p->frames.items[p->location_frames.items[names.first]].function);
	if (!name.len || name.at[0] != '[') /* nearly all */
		return false;
	placeholder(&n->text, mapping, module_of(p, mapping));
	if (is_named(p, location, buffer_bytes(&n->text)))
		return true;
	placeholder_with_offset(&n->text, mapping, module_of(p, mapping), l->address);
	return is_named(p, location, buffer_bytes(&n->text));
}

static int work_compare(const void *a, const void *b)
{
	const struct work *x = a, *y = b;

	if (x->mapping != y->mapping)
		return x->mapping < y->mapping ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static struct work *find_work(struct namer *n, bool again, size_t *ret_count)
{
	const struct profile *p = n->profile;
	VECTOR(struct work) work = {0};

	for (location_id i = 1; i < p->locations.len; i++) {
		const struct location *l = &p->locations.items[i];

		if (!l->mapping)
			continue;
		if (p->location_names.items[i].count && !(again && is_placeholder(n, i)))
			continue;
		vector_push(&work, ((struct work){l->address, l->mapping, i}));
	}
	if (work.len > 1)
		qsort(work.items, work.len, sizeof(struct work), work_compare);
	*ret_count = work.len;
	return work.items;
}

/* ---- Naming ---- */

static frame_id frame_of(struct namer *n, const struct mapping *mapping, struct bytes function)
{
	struct bytes module = module_of(n->profile, mapping);
	char *copy = memory_copy_text(module.at, module.len); /* the text moves when it grows */
	struct frame frame = {.kind = kind_of(mapping)};

	frame.module = profile_string(n->profile, (struct bytes){copy, module.len});
	frame.function = profile_string(n->profile, function);
	free(copy);
	return profile_frame(n->profile, &frame);
}

static void name_as(struct namer *n, const struct work *work, uint64_t start, frame_id frame)
{
	n->mapping = work->mapping;
	n->start = start;
	n->frame = frame;
	profile_name_location(n->profile, work->location, &frame, 1);
	if (n->report)
		n->report->named++;
}

/* A profile that nothing new is known about is not written to: it may be a mapped file. */
static void name_by_placeholder(struct namer *n, const struct work *work)
{
	struct mapping mapping = n->profile->mappings.items[work->mapping];
	frame_id frame;

	if (is_named(n->profile, work->location, buffer_bytes(&n->text)))
		return;
	frame = frame_of(n, &mapping, buffer_bytes(&n->text));
	profile_name_location(n->profile, work->location, &frame, 1);
}

static void name_as_module(struct namer *n, const struct work *work)
{
	struct mapping mapping = n->profile->mappings.items[work->mapping];

	placeholder(&n->text, &mapping, module_of(n->profile, &mapping));
	name_by_placeholder(n, work);
	if (n->report)
		unnamed_add(&n->counts, work->location);
}

/* Whoever named it before had the file, or knew no better either. */
static void name_as_missing(struct namer *n, const struct work *work)
{
	struct mapping mapping = n->profile->mappings.items[work->mapping];

	if (!n->profile->location_names.items[work->location].count) {
		placeholder_with_offset(
			&n->text, &mapping, module_of(n->profile, &mapping), work->address);
		name_by_placeholder(n, work);
	}
	if (n->report)
		unnamed_add(&n->counts, work->location);
}

static bool is_last(const struct namer *n, const struct work *work, uint64_t start)
{
	return n->frame && n->mapping == work->mapping && n->start == start;
}

static void name_in_image(struct namer *n, const struct work *work, size_t count,
	const struct image *image, const struct symbols *symbols)
{
	struct mapping mapping = n->profile->mappings.items[work->mapping];

	for (size_t i = 0; i < count; i++) {
		struct symbol symbol;
		uint64_t address;

		if (!image_address(image, work[i].address, &address) ||
			!symbols_find(symbols, address, &symbol)) {
			name_as_module(n, &work[i]);
			continue;
		}
		if (!is_last(n, &work[i], symbol.start)) {
			n->text.len = 0;
			symbol_text(&symbol, &n->text);
			n->frame = frame_of(n, &mapping, buffer_bytes(&n->text));
		}
		name_as(n, &work[i], symbol.start, n->frame);
	}
}

static void name_all_as_module(struct namer *n, const struct work *work, size_t count)
{
	for (size_t i = 0; i < count; i++)
		name_as_module(n, &work[i]);
}

/* ---- Where names come from ---- */

static const struct image *image_of(struct namer *n, mapping_id id)
{
	struct mapping mapping = n->profile->mappings.items[id];
	struct bytes file = profile_text(n->profile, mapping.file);
	struct bytes build_id = profile_text(n->profile, mapping.build_id);
	const struct image *image = NULL;

	if (n->hooks && n->hooks->image)
		image = n->hooks->image(n->hooks->self, id);
	/* Later, a path alone does not say that it is still the same file. */
	if (!image && (build_id.len || n->hooks))
		image = image_cache_open(n->cache, file, build_id);
	return image;
}

static void name_files(struct namer *n, const struct work *work, size_t count)
{
	const struct image *image = image_of(n, work->mapping);
	const char *root = NULL;
	const struct symbols *symbols;
	struct unnamed_facts facts = {.opened = image};

	if (n->hooks && n->hooks->root)
		root = n->hooks->root(n->hooks->self, work->mapping);
	if (image) {
		symbols = image_cache_symbols(n->cache, image, root);
		facts.extent = symbols_extent(symbols);
		name_in_image(n, work, count, image, symbols);
	} else {
		for (size_t i = 0; i < count; i++)
			name_as_missing(n, &work[i]);
	}
	if (n->report)
		unnamed_facts(&n->counts, work->mapping, &facts);
}

/* The kernel that runs is the one that was recorded when its build id is, and it has not been
 * loaded elsewhere since: addresses are as they were sampled. */
static const struct kernel *kernel_of(struct namer *n)
{
	const struct kernel *kernel = NULL;

	if (n->hooks && n->hooks->kernel)
		kernel = n->hooks->kernel(n->hooks->self);
	if (kernel)
		return kernel;
	if (!n->kernel_tried)
		n->own_kernel = kernel_open(&n->kernel_error);
	n->kernel_tried = true;
	return n->own_kernel;
}

static bool is_recorded_kernel(struct namer *n, const struct kernel *kernel)
{
	char build_id[65];

	if (n->hooks)
		return true;
	kernel_build_id_text(build_id);
	for (mapping_id i = 1; i < n->profile->mappings.len; i++) {
		const struct mapping *m = &n->profile->mappings.items[i];

		if (m->kind == MAPPING_KERNEL)
			return m->base && m->base == kernel_text_start(kernel) && *build_id &&
			       bytes_equal(
				       profile_text(n->profile, m->build_id), bytes_of(build_id));
	}
	return false;
}

static void name_kernel(struct namer *n, const struct work *work, size_t count)
{
	const struct kernel *kernel = kernel_of(n);
	struct unnamed_facts facts = {.opened = kernel};
	struct mapping mapping = n->profile->mappings.items[work->mapping];

	snprintf(facts.error, sizeof facts.error, "%.159s", n->kernel_error.text);
	if (kernel && !is_recorded_kernel(n, kernel)) {
		kernel = NULL;
		facts.other_kernel = true;
	}
	for (size_t i = 0; i < count; i++) {
		struct kernel_symbol symbol;

		if (!kernel || !kernel_find(kernel, work[i].address, &symbol)) {
			name_as_module(n, &work[i]);
			continue;
		}
		if (!is_last(n, &work[i], symbol.start)) {
			n->text.len = 0;
			buffer_add(&n->text, symbol.name.at, symbol.name.len);
			n->frame = frame_of(n, &mapping, buffer_bytes(&n->text));
		}
		name_as(n, &work[i], symbol.start, n->frame);
	}
	if (n->report)
		unnamed_facts(&n->counts, work->mapping, &facts);
}

static void name_in_map(
	struct namer *n, const struct work *work, size_t count, const struct perf_map *map)
{
	for (size_t i = 0; i < count; i++) {
		struct mapping mapping = n->profile->mappings.items[work[i].mapping];
		struct bytes name;
		uint64_t start;

		if (!perf_map_find(map, work[i].address, &name, &start)) {
			name_as_module(n, &work[i]);
			continue;
		}
		name_as(n, &work[i], start, frame_of(n, &mapping, name));
	}
	if (n->report)
		n->report->overlaps += perf_map_counts(map).overlapping;
}

static void name_jit(struct namer *n, const struct work *work, size_t count)
{
	process_id process = n->profile->mappings.items[work->mapping].process;
	int32_t pid = n->profile->processes.items[process].pid;
	const struct perf_map *map = NULL;
	struct perf_map *own = NULL;
	struct unnamed_facts facts = {0};
	struct error failed = {0};

	if (n->hooks && n->hooks->perf_map)
		map = n->hooks->perf_map(n->hooks->self, process);
	if (!map && n->hooks && pid > 0)
		map = own = perf_map_open(pid, &failed);
	facts.opened = map;
	/* That there is no map is no surprise; that there is one which may not be read is. */
	if (failed.code != ERR_IO)
		snprintf(facts.error, sizeof facts.error, "%.159s", failed.text);
	if (map)
		name_in_map(n, work, count, map);
	else
		name_all_as_module(n, work, count);
	if (n->report)
		unnamed_facts(&n->counts, work->mapping, &facts);
	perf_map_release(own);
}

static void name_mapping(struct namer *n, const struct work *work, size_t count)
{
	switch (n->profile->mappings.items[work->mapping].kind) {
	case MAPPING_KERNEL:
	case MAPPING_MODULE:
		name_kernel(n, work, count);
		break;
	case MAPPING_JIT:
		name_jit(n, work, count);
		break;
	default:
		name_files(n, work, count);
	}
}

void profile_symbolize(struct profile *p, const struct symbolize_options *options,
	struct symbolize_report *ret_report)
{
	static const struct symbolize_options none;
	const struct symbolize_hooks *hooks = options ? options->hooks : NULL;
	struct image_cache own = {.places = options ? options->places : NULL};
	struct namer n = {.profile = p,
		.options = options ? options : &none,
		.hooks = hooks,
		.report = ret_report};
	size_t count, end;
	struct work *work = find_work(&n, n.options->again, &count);

	n.cache = hooks && hooks->cache ? hooks->cache : &own;
	if (ret_report)
		*ret_report = (struct symbolize_report){0};
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && work[end].mapping == work[i].mapping; end++)
			;
		name_mapping(&n, &work[i], end - i);
	}
	if (ret_report)
		unnamed_report(&n.counts, p, ret_report);
	unnamed_release(&n.counts);
	kernel_release(n.own_kernel);
	image_cache_release(&own);
	buffer_release(&n.text);
	free(work);
}

bool profile_needs_names(const struct profile *p)
{
	for (location_id i = 1; i < p->locations.len; i++)
		if (p->locations.items[i].mapping && !p->location_names.items[i].count)
			return true;
	return false;
}

void symbolize_report_release(struct symbolize_report *r)
{
	vector_release(&r->modules);
}
