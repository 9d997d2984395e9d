/* probes.c: finds the locations that the name of an event stands for. */
#include "recorders/probes/probes.h"

#include "base/options.h"
#include "images/debug_file.h"
#include "images/symbols.h"
#include "images/usdt.h"
#include "recorders/probes/tracefs.h"
#include "recorders/programs/copies.h"

#include <elf.h>
#include <stdlib.h>
#include <unistd.h>

#define WEIGHT_REGISTERS 6 /* arguments of a function in registers; the seventh is `retval` */

struct probe_search {
	struct probes *probes;
	struct session *session;
	struct probe *probe;
	struct bytes weight; /* empty: hits */
};

static char *copied(struct bytes text)
{
	return memory_copy_text(text.at, text.len);
}

/* ---- What is written ---- */

static const struct {
	const char *prefix;
	enum probe_kind kind;
} prefixes[] = {{"tracepoint:", PROBE_TRACEPOINT}, {"t:", PROBE_TRACEPOINT},
	{"uprobe:", PROBE_FUNCTION}, {"u:", PROBE_FUNCTION}, {"uretprobe:", PROBE_RETURN},
	{"ur:", PROBE_RETURN}, {"usdt:", PROBE_STATIC}, {"U:", PROBE_STATIC},
	{"kprobe:", PROBE_KERNEL}, {"k:", PROBE_KERNEL}};

static bool unreadable(const struct probe *probe, struct error *err)
{
	return error_set(err, ERR_USAGE,
		"event '%s': expected SUBSYSTEM:NAME (a tracepoint), FILE:FUNCTION, "
		"FILE:FUNCTION%%return, usdt:FILE:PROVIDER:NAME or kprobe:FUNCTION",
		probe->text);
}

/* The rest of "usdt:FILE:PROVIDER:NAME". */
static bool parse_static(struct probe *probe, struct bytes rest, struct error *err)
{
	struct bytes file, provider;

	if (!bytes_cut(&rest, ':', &file) || !file.len)
		return unreadable(probe, err);
	probe->file = copied(file);
	if (bytes_cut(&rest, ':', &provider) && provider.len)
		probe->provider = copied(provider);
	probe->name = copied(rest);
	return rest.len > 0 || unreadable(probe, err);
}

static bool parse(struct probe *probe, struct bytes text, struct error *err)
{
	struct bytes rest = text, file;
	bool has_prefix = false;

	probe->text = copied(text);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes) && !has_prefix; i++)
		if (bytes_starts_with(text, bytes_of(prefixes[i].prefix))) {
			has_prefix = true;
			probe->kind = prefixes[i].kind;
			rest.at += strlen(prefixes[i].prefix);
			rest.len -= strlen(prefixes[i].prefix);
		}
	if (probe->kind == PROBE_STATIC)
		return parse_static(probe, rest, err);
	if (probe->kind == PROBE_KERNEL) {
		probe->name = copied(rest);
		return rest.len > 0 || unreadable(probe, err);
	}
	if (!bytes_cut(&rest, ':', &file) || !file.len || !rest.len)
		return unreadable(probe, err);
	if (!has_prefix && !trace_group_exists(file) && !bytes_equal(file, BYTES("syscalls")))
		probe->kind = PROBE_FUNCTION;
	if (probe->kind == PROBE_FUNCTION && bytes_ends_with(rest, BYTES("%return"))) {
		probe->kind = PROBE_RETURN;
		rest.len -= strlen("%return");
	}
	probe->file = copied(file);
	probe->name = copied(rest);
	return rest.len > 0 || unreadable(probe, err);
}

/* Take the text up to the next comma outside of a C++ name's brackets. */
static struct bytes next_event(struct bytes *rest)
{
	struct bytes event = *rest;
	int depth = 0;
	size_t i;

	for (i = 0; i < rest->len && (rest->at[i] != ',' || depth > 0); i++) {
		depth += rest->at[i] == '(' || rest->at[i] == '<';
		depth -= rest->at[i] == ')' || rest->at[i] == '>';
	}
	event.len = i;
	i += i < rest->len;
	*rest = (struct bytes){rest->at + i, rest->len - i};
	return event;
}

/* ---- What a hit weighs ---- */

static bool add_value(struct probe_search *f, const struct hit_value *value, uint32_t *ret_number,
	struct error *err)
{
	struct probes *p = f->probes;

	for (size_t i = 0; i < p->values.len; i++)
		if (!memcmp(&p->values.items[i], value, sizeof(*value))) {
			*ret_number = (uint32_t)i;
			return true;
		}
	if (p->values.len == HIT_VALUES_MAX)
		return error_set(err, ERR_USAGE,
			"event '%s': its arguments are in too many different locations",
			f->probe->text);
	*ret_number = (uint32_t)p->values.len;
	vector_push(&p->values, *value);
	return true;
}

/* "arg0" -> 0; "retval" -> WEIGHT_REGISTERS. */
static bool argument_named(struct bytes name, bool of_return, unsigned *ret)
{
	uint64_t number;

	*ret = WEIGHT_REGISTERS;
	if (of_return)
		return bytes_equal(name, BYTES("retval"));
	if (!bytes_starts_with(name, BYTES("arg")) ||
		!bytes_u64((struct bytes){name.at + 3, name.len - 3}, &number) || number > 63)
		return false;
	*ret = (unsigned)number;
	return true;
}

/* Cut the type ":s32" off an argument: the size and sign of the value in its register. */
static bool cut_type(struct bytes *name, struct hit_value *value)
{
	struct bytes before, type = *name;
	uint64_t bits;

	value->size = 8;
	value->is_signed = 1;
	if (!bytes_cut(&type, ':', &before))
		return true;
	*name = before;
	value->is_signed = type.len && *type.at == 's';
	if (!type.len || (*type.at != 's' && *type.at != 'u') ||
		!bytes_u64((struct bytes){type.at + 1, type.len - 1}, &bits))
		return false;
	value->size = (uint8_t)(bits / 8);
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

/* Are the places known that the words of struct pt_regs have, and how assemblers write registers?
 */
static bool check_machine(struct error *err)
{
	return (arch_native() && arch_native()->machine == EM_X86_64) ||
	       error_set(err, ERR_UNSUPPORTED,
		       "--weight: arguments of functions and static probes can be read only on "
		       "x86-64; here only fields of tracepoints can");
}

/* Registers of a function's arguments: System V ABI AMD64 supplement, 3.2.3. */
static bool weigh_function(struct probe_search *f, uint32_t *ret, struct error *err)
{
	static const uint8_t columns[WEIGHT_REGISTERS + 1] = {5, 4, 1, 2, 8, 9, 0};
	bool of_return = f->probe->kind == PROBE_RETURN;
	struct hit_value value = {.source = HIT_CONTEXT};
	struct bytes name = f->weight;
	unsigned number;

	if (!check_machine(err))
		return false;
	if (!cut_type(&name, &value) || !argument_named(name, of_return, &number) ||
		(!of_return && number >= WEIGHT_REGISTERS))
		return error_set(err, ERR_USAGE,
			"event '%s': expected --weight %s, followed by a type such as :s32 or :u32 "
			"if it is not a 64-bit number, not '%.*s'",
			f->probe->text, of_return ? "retval" : "arg0 to arg5", (int)f->weight.len,
			f->weight.at);
	value.offset = pt_regs_words[columns[number]] * 8u;
	return add_value(f, &value, ret, err);
}

static bool weigh_tracepoint(struct probe_search *f, struct error *err)
{
	struct buffer format = {0};
	struct hit_value value = {.source = HIT_CONTEXT};
	struct trace_field field;
	bool ok = trace_read(
		bytes_of(f->probe->file), bytes_of(f->probe->name), "format", &format, err);

	if (ok && f->weight.len) {
		ok = trace_field_find(
			buffer_bytes(&format), bytes_of(f->probe->file), f->weight, &field, err);
		if (!ok)
			error_prefix(err, "event '%s': ", f->probe->text);
		value.offset = field.offset;
		value.size = (uint8_t)field.size;
		value.is_signed = field.is_signed;
		ok = ok && add_value(f, &value, &f->probe->value, err);
	}
	buffer_release(&format);
	return ok;
}

static bool weigh_static(
	struct probe_search *f, const struct usdt_probe *found, uint32_t *ret, struct error *err)
{
	struct usdt_argument a;
	struct hit_value value = {0};
	unsigned number, count = usdt_count(found->arguments);

	if (!check_machine(err))
		return false;
	if (!argument_named(f->weight, false, &number) || number >= count)
		return error_set(err, ERR_USAGE,
			count ? "event '%s': expected --weight arg0 to arg%u, not '%.*s'"
			      : "event '%s' has %u arguments: there is no '%.*s'",
			f->probe->text, count ? count - 1 : 0, (int)f->weight.len, f->weight.at);
	if (!usdt_argument(found->arguments, number, &a))
		return error_set(err, ERR_UNSUPPORTED,
			"event '%s': cannot read %.*s, which is one of '%.*s'", f->probe->text,
			(int)f->weight.len, f->weight.at, (int)found->arguments.len,
			found->arguments.at);
	value.source = a.where == USDT_CONSTANT	  ? HIT_CONSTANT
		       : a.where == USDT_REGISTER ? HIT_CONTEXT
						  : HIT_MEMORY;
	value.size = a.size;
	value.is_signed = a.is_signed;
	value.add = a.add;
	if (a.where != USDT_CONSTANT)
		value.offset = pt_regs_words[a.column] * 8u;
	return add_value(f, &value, ret, err);
}

/* ---- Functions ---- */

/* "ns::f(int)" also matches "ns::f". */
static bool is_spelled(struct bytes text, struct bytes name)
{
	return bytes_equal(text, name) ||
	       (bytes_starts_with(text, name) && text.len > name.len && text.at[name.len] == '(');
}

static bool add_place(struct probe_search *f, const struct image *image, size_t file,
	uint64_t address, uint64_t semaphore, uint32_t value, struct error *err)
{
	struct probe_place place = {.file = file, .value = value};

	if (!image_offset(image, address, &place.offset) ||
		(semaphore && !image_offset(image, semaphore, &place.semaphore)))
		return error_set(err, ERR_FORMAT, "%s: '%s' has no address in the file",
			image_name(image), f->probe->name);
	for (size_t i = 0; i < f->probe->places.len; i++)
		if (f->probe->places.items[i].file == file &&
			f->probe->places.items[i].offset == place.offset)
			return true;
	vector_push(&f->probe->places, place);
	return true;
}

/* Search by demangled names. */
static bool add_spelled(struct probe_search *f, const struct image *image,
	const struct image *debug_file, size_t file, uint32_t value, struct error *err)
{
	struct symbols *symbols = symbols_load(image, debug_file);
	struct buffer text = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < symbols_count(symbols); i++) {
		struct symbol symbol = symbols_at(symbols, i);

		if (!bytes_starts_with(symbol.name, BYTES("_")))
			continue;
		text.len = 0;
		symbol_text(&symbol, &text);
		if (is_spelled(buffer_bytes(&text), bytes_of(f->probe->name)))
			ok = add_place(f, image, file, symbol.start, 0, value, err);
	}
	buffer_release(&text);
	symbols_release(symbols);
	return ok;
}

static bool find_function(
	struct probe_search *f, const struct image *image, size_t file, struct error *err)
{
	struct bytes name = bytes_of(f->probe->name);
	struct image *debug_file = NULL;
	enum function_found found;
	uint64_t address;
	uint32_t value = 0;
	bool ok;

	if (f->weight.len && !weigh_function(f, &value, err))
		return false;
	found = function_address(image, name, &address);
	if (!found && (debug_file = debug_file_open(image, NULL)))
		found = function_address(debug_file, name, &address);
	if (found == FUNCTION_IFUNC)
		ok = error_set(err, ERR_USAGE,
			"event '%s': this is an IFUNC: the program chooses one of several "
			"functions when it starts; name the chosen one, which kiln record shows",
			f->probe->text);
	else if (found)
		ok = add_place(f, image, file, address, 0, value, err);
	else
		ok = add_spelled(f, image, debug_file, file, value, err);
	image_release(debug_file);
	return ok;
}

/* ---- Static probes ---- */

static bool find_static(
	struct probe_search *f, const struct image *image, size_t file, struct error *err)
{
	struct usdt_probe found;
	uint32_t value = 0;
	size_t at = 0;

	while (usdt_next(image, &at, &found)) {
		if (!bytes_equal(found.name, bytes_of(f->probe->name)) ||
			(f->probe->provider &&
				!bytes_equal(found.provider, bytes_of(f->probe->provider))))
			continue;
		if (f->weight.len && !weigh_static(f, &found, &value, err))
			return false;
		if (!add_place(f, image, file, found.address, found.semaphore, value, err))
			return false;
	}
	return true;
}

/* ---- What is near ---- */

static void list_functions(const struct image *image, struct buffer *texts)
{
	struct symbols *symbols = symbols_load(image, NULL);

	for (size_t i = 0; i < symbols_count(symbols); i++) {
		struct symbol symbol = symbols_at(symbols, i);

		symbol_text(&symbol, texts);
		buffer_char(texts, '\0');
	}
	symbols_release(symbols);
}

static void list_static(const struct image *image, struct buffer *texts)
{
	struct usdt_probe found;
	size_t at = 0;

	while (usdt_next(image, &at, &found)) {
		buffer_printf(texts, "%.*s:%.*s", (int)found.provider.len, found.provider.at,
			(int)found.name.len, found.name.at);
		buffer_char(texts, '\0');
	}
}

/* "; is it malloc?" */
static void add_nearest(const struct buffer *texts, const char *name, struct buffer *out)
{
	VECTOR(const char *) names = {0};
	const char *nearest;

	for (size_t at = 0; at < texts->len; at += strlen(texts->at + at) + 1)
		vector_push(&names, texts->at + at);
	nearest = option_nearest(names.items, names.len, bytes_of(name));
	if (nearest)
		buffer_printf(out, "; is it %s?", nearest);
	vector_release(&names);
}

static bool nothing_found(struct probe_search *f, size_t first, struct error *err)
{
	const struct probe *probe = f->probe;
	const struct probe_files *files = &f->probes->files;
	bool is_static = probe->kind == PROBE_STATIC;
	struct buffer texts = {0}, near = {0}, wanted = {0};
	struct error ignored = {0};

	for (size_t i = first; i < files->list.len; i++) {
		struct image *image =
			image_open_fd(files->list.items[i].fd, files->list.items[i].name, &ignored);

		if (image && is_static)
			list_static(image, &texts);
		else if (image)
			list_functions(image, &texts);
		image_release(image);
	}
	buffer_printf(&wanted, "%s%s%s", is_static && probe->provider ? probe->provider : "",
		is_static && probe->provider ? ":" : "", probe->name);
	add_nearest(&texts, wanted.at, &near);
	error_set(err, ERR_USAGE, "event '%s': %s has no %s '%s'%s", probe->text,
		files->list.items[first].name, is_static ? "static probe" : "function", wanted.at,
		near.len    ? near.at
		: texts.len ? ""
			    : "; it has none");
	buffer_release(&texts);
	buffer_release(&near);
	buffer_release(&wanted);
	return false;
}

/* ---- All of it ---- */

/* The error for a missing file; without a prefix, the name may also have meant a group of
 * tracepoints. */
static bool no_file(const struct probe *probe, struct error *err)
{
	struct buffer ignored = {0};
	struct error unknown = {0};

	if (strchr(probe->file, '/'))
		return error_set(
			err, ERR_USAGE, "event '%s': no such file: %s", probe->text, probe->file);
	if (strncmp(probe->text, probe->file, strlen(probe->file)))
		return error_set(err, ERR_USAGE,
			"event '%s': no program or library is called '%s'; use a path for other "
			"files",
			probe->text, probe->file);
	trace_read(bytes_of(probe->file), bytes_of(probe->name), "id", &ignored, &unknown);
	buffer_release(&ignored);
	return error_set(err, unknown.code, "%s; nor is a program or library called '%s'",
		unknown.text, probe->file);
}

static bool find_in_files(struct probe_search *f, struct error *err)
{
	struct probe_files *files = &f->probes->files;
	struct probe_files found = {0};
	size_t first = files->list.len;
	bool ok = true;

	if (!files->list.len)
		session_read_processes(f->session); /* for their mappings */
	probe_files_find(&found, f->session, bytes_of(f->probe->file));
	if (!found.list.len)
		return no_file(f->probe, err);
	for (size_t i = 0; i < found.list.len; i++)
		vector_push(&files->list, found.list.items[i]);
	vector_release(&found.list);
	for (size_t i = first; ok && i < files->list.len; i++) {
		struct image *image =
			image_open_fd(files->list.items[i].fd, files->list.items[i].name, err);

		ok = image && (f->probe->kind == PROBE_STATIC ? find_static(f, image, i, err)
							      : find_function(f, image, i, err));
		image_release(image);
	}
	return ok && (f->probe->places.len || nothing_found(f, first, err));
}

static bool find_one(struct probe_search *f, struct bytes text, struct error *err)
{
	if (!parse(f->probe, text, err))
		return false;
	switch (f->probe->kind) {
	case PROBE_TRACEPOINT:
		return weigh_tracepoint(f, err);
	case PROBE_KERNEL:
		return !f->weight.len || weigh_function(f, &f->probe->value, err);
	default:
		return find_in_files(f, err);
	}
}

static bool add_one(
	struct probe_search *f, struct bytes text, const char *weight, struct error *err)
{
	struct probes *probes = f->probes;

	if (!probes->values.len)
		vector_push(&probes->values, ((struct hit_value){0}));
	if (probes->list.len == HIT_EVENTS_MAX)
		return error_set(err, ERR_USAGE, "more than %d events", HIT_EVENTS_MAX);
	vector_push(&probes->list, ((struct probe){.weight = weight, .unit = "value"}));
	f->probe = &probes->list.items[probes->list.len - 1];
	f->weight = weight ? bytes_of(weight) : (struct bytes){0};
	if (!find_one(f, text, err))
		return false;
	f->probe->hits = f->probe->text;
	return true;
}

/* Is the event listed already? The kernel attaches a program to a tracepoint once. */
static bool is_listed(const struct probes *probes, struct bytes event)
{
	for (size_t i = 0; i < probes->list.len; i++)
		if (bytes_equal(bytes_of(probes->list.items[i].text), event))
			return true;
	return false;
}

bool probes_find(struct probes *probes, struct session *s, struct error *err)
{
	struct probe_search f = {.probes = probes, .session = s};
	struct bytes rest = bytes_of(s->options->events);

	while (rest.len) {
		struct bytes event = next_event(&rest);

		if (!is_listed(probes, event) && !add_one(&f, event, s->options->weight, err))
			return false;
	}
	return true;
}

bool probes_find_memory(struct probes *probes, struct session *s, struct error *err)
{
	static const struct {
		const char *event, *field, *weight, *hits;
	} sources[] = {{"exceptions:page_fault_user", NULL, "faulted", "faults"},
		{"syscalls:sys_enter_mmap", "len", "mapped", "maps"},
		{"syscalls:sys_enter_brk", "brk", "grown", "brks"}};
	struct hit_value page = {.source = HIT_CONSTANT, .size = 8, .add = getpagesize()};
	struct probe_search f = {.probes = probes, .session = s};

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		if (!add_one(&f, bytes_of(sources[i].event), sources[i].field, err))
			return false;
		f.probe->weight = sources[i].weight;
		f.probe->unit = "bytes";
		f.probe->hits = sources[i].hits;
		if (!sources[i].field && !add_value(&f, &page, &f.probe->value, err))
			return false;
	}
	probes->values.items[f.probe->value].source = HIT_GROWTH;
	return true;
}

void probes_release(struct probes *probes)
{
	for (size_t i = 0; i < probes->list.len; i++) {
		struct probe *probe = &probes->list.items[i];

		free(probe->text);
		free(probe->file);
		free(probe->name);
		free(probe->provider);
		vector_release(&probe->places);
	}
	vector_release(&probes->list);
	vector_release(&probes->values);
	probe_files_release(&probes->files);
}
