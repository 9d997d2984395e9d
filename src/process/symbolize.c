/* symbolize.c: what are the functions at a profile's addresses called?
 *
 * Locations are sorted by mapping and address, so that each binary is read once and forwards,
 * and a function is demangled once, however many of its addresses were sampled. Threads look up
 * binaries in parallel; the profile itself is written by the calling thread, in the order of
 * mappings, so that the result does not depend on the number of threads. */
#include "process/symbolize.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "process/chain_frames.h"
#include "process/jit_names.h"
#include "process/recorded_kernel.h"
#include "process/symbolize_work.h"

#include <stdio.h>
#include <stdlib.h>

#define AHEAD 8u /* rows that are prefetched ahead */

struct namer {
	struct profile *profile;
	const struct symbolize_options *options;
	const struct symbolize_hooks *hooks; /* NULL: not live */
	struct image_cache *cache;
	struct recorded_kernel kernel;
	bool kernel_tried, kernel_is_borrowed;
	struct symbolize_report *report; /* or NULL */
	struct unnamed_counts counts;

	/* The function found last: */
	mapping_id mapping;
	uint64_t start;
	frame_id frame;
	struct buffer text;

	/* The placeholder for addresses of a module: */
	mapping_id placeholder_mapping;
	frame_id placeholder;
};

/* ---- What is to be named ---- */

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

/* "[libfoo.so+0x1a2b]", "[vdso+0x7a0]": in a file that is missing. */
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
	placeholder(&n->text, mapping, mapping_module(p, mapping));
	if (is_named(p, location, buffer_bytes(&n->text)))
		return true;
	placeholder_with_offset(&n->text, mapping, mapping_module(p, mapping), l->address);
	return is_named(p, location, buffer_bytes(&n->text));
}

static bool is_in_file(const struct mapping *mapping)
{
	return mapping->kind == MAPPING_FILE || mapping->kind == MAPPING_VDSO;
}

static bool needs_name(struct namer *n, location_id location)
{
	const struct profile *p = n->profile;
	mapping_id mapping = p->locations.items[location].mapping;

	if (!mapping)
		return false;
	if (!p->location_names.items[location].count)
		return true;
	if (n->options->which == SYMBOLIZE_AGAIN && is_in_file(&p->mappings.items[mapping]))
		return true;
	return n->options->which != SYMBOLIZE_NEW && is_placeholder(n, location);
}

static struct work *find_work(struct namer *n, size_t *ret_count)
{
	const struct profile *p = n->profile;
	VECTOR(struct work) work = {0};

	for (location_id i = 1; i < p->locations.len; i++) {
		const struct location *l = &p->locations.items[i];

		if (needs_name(n, i))
			vector_push(&work, ((struct work){l->address, l->mapping, i}));
	}
	work_sort_by_mapping(work.items, work.len);
	*ret_count = work.len;
	return work.items;
}

/* ---- Naming ---- */

static frame_id frame_of(
	struct namer *n, const struct mapping *mapping, enum frame_kind kind, struct bytes function)
{
	struct frame frame = {.module = mapping_module_string(n->profile, mapping), .kind = kind};

	frame.function = profile_string(n->profile, function);
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

/* A location that has names keeps them if nothing is found now: they may have been found on a
 * machine with more files. */
static bool has_own_names(struct namer *n, const struct work *work)
{
	return n->profile->location_names.items[work->location].count &&
	       !is_placeholder(n, work->location);
}

/* Name the location by the text in n->text. If nothing changes, the profile is not written to:
 * it may be a mapped file. */
static void name_by_placeholder(struct namer *n, const struct work *work)
{
	struct mapping mapping = n->profile->mappings.items[work->mapping];

	if (is_named(n->profile, work->location, buffer_bytes(&n->text)))
		return;
	/* Nothing proves that this is generated code: do not show it as such. */
	n->placeholder = frame_of(n, &mapping,
		mapping.kind == MAPPING_JIT ? FRAME_NATIVE : mapping_frame_kind(&mapping),
		buffer_bytes(&n->text));
	profile_name_location(n->profile, work->location, &n->placeholder, 1);
}

static void name_as_module(struct namer *n, const struct work *work)
{
	struct mapping mapping = n->profile->mappings.items[work->mapping];
	bool has_names = n->profile->location_names.items[work->location].count;

	if (has_own_names(n, work))
		return;
	if (n->placeholder_mapping == work->mapping && n->placeholder && !has_names) {
		profile_name_location(n->profile, work->location, &n->placeholder, 1);
	} else {
		placeholder(&n->text, &mapping, mapping_module(n->profile, &mapping));
		name_by_placeholder(n, work);
		n->placeholder_mapping = work->mapping;
	}
	if (n->report)
		unnamed_add(&n->counts, work->location);
}

/* A location that has names keeps them: they were found where the file was available, or they are a
 * placeholder, too. */
static void name_as_missing(struct namer *n, const struct work *work)
{
	struct mapping mapping = n->profile->mappings.items[work->mapping];

	if (has_own_names(n, work))
		return;
	if (!n->profile->location_names.items[work->location].count) {
		placeholder_with_offset(
			&n->text, &mapping, mapping_module(n->profile, &mapping), work->address);
		name_by_placeholder(n, work);
		n->placeholder_mapping = 0; /* each address has its own placeholder */
	}
	if (n->report)
		unnamed_add(&n->counts, work->location);
}

static bool is_last(const struct namer *n, const struct work *work, uint64_t start)
{
	return n->frame && n->mapping == work->mapping && n->start == start;
}

/* Names that do not change add no rows. */
static void name_as_chain(
	struct namer *n, const struct work *work, struct chain_frames *frames, uint32_t chain)
{
	struct profile *p = n->profile;
	struct span old = p->location_names.items[work->location];
	size_t count;
	const frame_id *span = chain_frames_of(frames, chain, &count);

	if (old.count != count ||
		memcmp(&p->location_frames.items[old.first], span, count * sizeof(*span)) != 0)
		profile_name_location(p, work->location, span, count);
	if (n->report)
		n->report->named++;
}

/* ---- Files ---- */

/* The locations in one mapping of a file, looked up by a thread and then named. */
struct file {
	struct work *work;
	size_t count;
	const struct image *image; /* NULL: missing */
	struct image_names *names; /* several mappings may share one */
	uint64_t *addresses;	   /* addresses of the work inside the image's segments... */
	uint32_t *chains;
	size_t len; /* ... which is at the front of the work */
	struct names_answer answer;
};

struct files {
	VECTOR(struct file) rows;
	const struct symbolize_options *options;
};

static void files_release(struct files *f)
{
	for (size_t i = 0; i < f->rows.len; i++) {
		memory_free(f->rows.items[i].addresses);
		memory_free(f->rows.items[i].chains);
	}
	vector_release(&f->rows);
}

static void image_addresses(struct file *f)
{
	struct work *outside = memory_new(f->count, sizeof(*outside));
	size_t count = 0;

	f->addresses = memory_new(f->count, sizeof(*f->addresses));
	for (size_t i = 0; i < f->count; i++) {
		if (image_address(f->image, f->work[i].address, &f->addresses[f->len]))
			f->work[f->len++] = f->work[i];
		else
			outside[count++] = f->work[i];
	}
	memcpy(f->work + f->len, outside, count * sizeof(*outside));
	memory_free(outside);
}

static bool is_past_deadline(const struct symbolize_options *options, const struct image *image)
{
	return options->others_deadline && image_others_can_change(image) &&
	       monotonic_ns() > options->others_deadline;
}

/* Look up the addresses in all mappings of a binary. Only the first of its mappings does anything,
 * so each binary belongs to one thread. */
static void look_up_file(void *context, size_t i)
{
	const struct files *files = context;
	struct file *rows = files->rows.items;

	for (size_t before = 0; before < i; before++)
		if (rows[before].names == rows[i].names)
			return;
	for (size_t at = i; at < files->rows.len && rows[i].names; at++) {
		struct file *f = &rows[at];

		if (f->names != rows[i].names)
			continue;
		if (is_past_deadline(files->options, f->image)) {
			f->answer.extent = SYMBOLS_OVER_LIMIT;
			f->answer.is_over_limit = at == i;
			continue;
		}
		image_addresses(f);
		f->chains = memory_new(f->len, sizeof(*f->chains));
		f->answer = image_names_find(f->names, files->options->depth,
			files->options->stored, f->addresses, f->len, f->chains);
		f->answer.is_over_limit &= at == i; /* counted once for each binary */
	}
}

/* Files that may have to be downloaded are handled one after another, so that progress can be
 * shown. */
static void look_up_files(struct files *files)
{
	const struct binary_locations *binary_locations = files->options->binary_locations;
	bool alone = binary_locations && binary_locations->servers;

	parallel_run(alone ? 1 : parallel_thread_count(files->rows.len), 1, files->rows.len,
		look_up_file, files);
}

static void name_in_image(struct namer *n, const struct file *f)
{
	struct mapping mapping = n->profile->mappings.items[f->work->mapping];
	struct chain_frames frames = {.profile = n->profile,
		.chains = f->answer.chains,
		.kind = mapping_frame_kind(&mapping)};

	frames.module = mapping_module_string(n->profile, &mapping);
	for (size_t i = 0; i < f->len; i++) {
		/* Locations that are adjacent in the binary are far apart in the table:
		 * prefetch. */
		if (i + AHEAD < f->len)
			__builtin_prefetch(
				&n->profile->location_names.items[f->work[i + AHEAD].location]);
		if (f->chains[i])
			name_as_chain(n, &f->work[i], &frames, f->chains[i]);
		else
			name_as_module(n, &f->work[i]);
	}
	for (size_t i = f->len; i < f->count; i++)
		name_as_module(n, &f->work[i]);
	if (n->report) {
		n->report->known += (uint32_t)f->answer.known;
		n->report->files_over_limit += f->answer.is_over_limit;
	}
	chain_frames_release(&frames);
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
	/* For an old recording, a path alone does not prove that the file is still the same. */
	if (!image && (build_id.len || n->hooks))
		image = image_cache_open(n->cache, file, build_id);
	return image;
}

/* Open the files among the mappings of the work. */
static void files_open(struct namer *n, struct work *work, size_t count, struct files *ret)
{
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		struct file file = {.work = &work[i]};
		const char *root = NULL;

		for (end = i + 1; end < count && work[end].mapping == work[i].mapping; end++)
			;
		if (!is_in_file(&n->profile->mappings.items[work[i].mapping]))
			continue;
		file.count = end - i;
		file.image = image_of(n, work[i].mapping);
		if (n->hooks && n->hooks->root)
			root = n->hooks->root(n->hooks->self, work[i].mapping);
		if (file.image)
			file.names = image_cache_names(n->cache, file.image, root);
		vector_push(&ret->rows, file);
	}
}

static void name_file(struct namer *n, const struct file *f)
{
	struct unnamed_facts facts = {.opened = f->image, .extent = f->answer.extent};

	if (f->image)
		name_in_image(n, f);
	for (size_t i = 0; !f->image && i < f->count; i++)
		name_as_missing(n, &f->work[i]);
	if (n->report)
		unnamed_facts(&n->counts, f->work->mapping, &facts);
}

/* For a live recording, the running kernel; for a recorded one, looked for once. */
static const struct recorded_kernel *kernel_of(struct namer *n)
{
	const struct kernel *kernel = NULL;

	if (n->kernel_tried)
		return &n->kernel;
	n->kernel_tried = true;
	if (n->hooks && n->hooks->kernel)
		kernel = n->hooks->kernel(n->hooks->self);
	n->kernel_is_borrowed = kernel;
	if (kernel)
		n->kernel.kernel = kernel;
	else if (n->hooks)
		n->kernel.kernel = kernel_open(&n->kernel.hidden);
	else
		recorded_kernel_open(n->profile, n->options->binary_locations, &n->kernel);
	return &n->kernel;
}

static void name_kernel(struct namer *n, const struct work *work, size_t count)
{
	const struct recorded_kernel *kernel = kernel_of(n);
	struct unnamed_facts facts = {.opened = kernel->kernel, .kernel = kernel};
	struct mapping mapping = n->profile->mappings.items[work->mapping];

	for (size_t i = 0; i < count; i++) {
		struct kernel_symbol symbol;

		if (!recorded_kernel_find(kernel, work[i].address,
			    mapping_module(n->profile, &mapping), &symbol)) {
			name_as_module(n, &work[i]);
			continue;
		}
		if (!is_last(n, &work[i], symbol.start)) {
			buffer_set(&n->text, symbol.name);
			n->frame = frame_of(
				n, &mapping, mapping_frame_kind(&mapping), buffer_bytes(&n->text));
		}
		name_as(n, &work[i], symbol.start, n->frame);
	}
	if (n->report)
		unnamed_facts(&n->counts, work->mapping, &facts);
}

static void name_jit(struct namer *n, const struct work *work, size_t count)
{
	process_id process = n->profile->mappings.items[work->mapping].process;
	struct jit_code *jit = n->options->jit;
	struct unnamed_facts facts = {0};
	struct error failed = {0};

	facts.opened = jit && jit_code_read(jit, n->profile, process, &failed);
	memcpy(facts.error, failed.text, sizeof(facts.error));
	for (size_t i = 0; i < count; i++) {
		struct code_piece piece;

		if (facts.opened &&
			jit_code_find(jit, process, work[i].address, CODE_LATEST, &piece))
			name_as(n, &work[i], piece.start,
				jit_frame(n->profile, &piece, work[i].address,
					n->options->depth == NAMES_LINES));
		else
			name_as_module(n, &work[i]);
	}
	if (n->report)
		unnamed_facts(&n->counts, work->mapping, &facts);
}

/* Rename code whose addresses were reused. */
static void name_by_time(struct namer *n)
{
	struct jit_times times;

	if (!n->options->jit)
		return;
	jit_names_by_time(n->profile, n->options->jit, n->options->depth == NAMES_LINES,
		n->options->which != SYMBOLIZE_NEW, &times);
	if (n->report) {
		n->report->by_time = times.by_time;
		n->report->guessed = times.guessed;
		jit_code_skipped(n->options->jit, &n->report->skipped);
		jit_code_left_out(n->options->jit, &n->report->left_out);
	}
}

/* Name the locations in one mapping. *file is the next row of the files; if the mapping is in a
 * file, *file is its row and moves on. */
static void name_mapping(
	struct namer *n, const struct file **file, const struct work *work, size_t count)
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
		name_file(n, (*file)++);
	}
}

static void name_mappings(struct namer *n, struct work *work, size_t count)
{
	struct files files = {.options = n->options};
	const struct file *file;
	size_t end;

	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && work[end].mapping == work[i].mapping; end++)
			;
		work_sort_by_address(&work[i], end - i);
	}
	files_open(n, work, count, &files);
	look_up_files(&files);
	file = files.rows.items;
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && work[end].mapping == work[i].mapping; end++)
			;
		name_mapping(n, &file, &work[i], end - i);
	}
	files_release(&files);
}

void profile_symbolize(struct profile *p, const struct symbolize_options *options,
	struct symbolize_report *ret_report)
{
	static const struct symbolize_options none;
	const struct symbolize_hooks *hooks = options ? options->hooks : NULL;
	struct image_cache own = {.binary_locations = options ? options->binary_locations : NULL};
	struct namer n = {.profile = p,
		.options = options ? options : &none,
		.hooks = hooks,
		.report = ret_report};
	size_t count;
	struct work *work = find_work(&n, &count);

	n.cache = hooks && hooks->cache ? hooks->cache : &own;
	if (ret_report)
		*ret_report = (struct symbolize_report){0};
	name_mappings(&n, work, count);
	name_by_time(&n);
	if (ret_report) {
		ret_report->unnamed = (uint32_t)n.counts.locations.len;
		unnamed_report(&n.counts, p, &ret_report->modules, &ret_report->samples,
			n.hooks ? &ret_report->weight : NULL);
	}
	unnamed_release(&n.counts);
	if (!n.kernel_is_borrowed)
		recorded_kernel_release(&n.kernel);
	image_cache_release(&own);
	buffer_release(&n.text);
	memory_free(work);
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
	buffer_release(&r->skipped);
	buffer_release(&r->left_out);
	vector_release(&r->modules);
}
