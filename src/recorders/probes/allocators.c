/* allocators.c: finding malloc and the other functions of allocators in the files that targets run.
 */
#include "recorders/probes/allocators.h"

#include "images/symbols.h"

#include <elf.h>

#define PROLOGUE_MAX 16u /* bytes */

static const struct {
	const char *name;
	enum alloc_kind kind;
} functions[] = {{"malloc", ALLOC_MALLOC}, {"free", ALLOC_FREE}, {"calloc", ALLOC_CALLOC},
	{"realloc", ALLOC_REALLOC}, {"reallocarray", ALLOC_REALLOCARRAY},
	{"memalign", ALLOC_ALIGNED}, {"aligned_alloc", ALLOC_ALIGNED},
	{"posix_memalign", ALLOC_POSIX}, {"valloc", ALLOC_MALLOC}, {"pvalloc", ALLOC_MALLOC},
	{"cfree", ALLOC_FREE}};

#define FUNCTIONS (sizeof(functions) / sizeof(*functions))

/* ---- Where breakpoints are cheap ---- */

static bool starts(struct bytes code, const char *with, size_t len)
{
	return bytes_starts_with(code, (struct bytes){with, len});
}

/* Length of an x86-64 instruction that changes no register except flags: endbr64; test of a
 * register with itself; cmpb of a variable. 0: any other instruction. */
static size_t skippable_length(struct bytes code)
{
	if (starts(code, "\xf3\x0f\x1e\xfa", 4))
		return 4;
	if (starts(code, "\x48\x85", 2) && code.len > 2 && ((unsigned char)code.at[2] >> 6) == 3)
		return 3;
	return starts(code, "\x80\x3d", 2) && code.len > 7 ? 7 : 0;
}

/* Does the kernel emulate the instruction: push, or a conditional jump? */
static bool is_emulated(struct bytes code)
{
	unsigned char first = code.len > 1 ? (unsigned char)code.at[0] : 0;
	unsigned char second = code.len > 1 ? (unsigned char)code.at[1] : 0;

	return (first & 0xf8) == 0x50 || (first == 0x41 && (second & 0xf8) == 0x50) ||
	       (first & 0xf0) == 0x70 || (first == 0x0f && (second & 0xf0) == 0x80);
}

/* Move a probe behind the first instructions if the kernel cannot emulate them: it would
 * single-step the processor, which takes ten times as long, even more on virtual machines. A few
 * instructions later the registers have the same values. */
static uint64_t cheap_place(const struct image *image, uint64_t address)
{
	struct bytes code = image_at(image, address);
	size_t skipped = 0, len;

	if (image_machine(image) != EM_X86_64)
		return address;
	while (!is_emulated(code) && skipped < PROLOGUE_MAX && (len = skippable_length(code))) {
		code = (struct bytes){code.at + len, code.len - len};
		skipped += len;
	}
	return is_emulated(code) ? address + skipped : address;
}

/* ---- Functions ---- */

/* Functions with the same address are listed once. */
static bool is_known(const uint64_t *offsets, size_t count, uint64_t offset)
{
	for (size_t i = 0; i < count; i++)
		if (offsets[i] == offset)
			return true;
	return false;
}

/* The range of a library's code. */
static const struct image_section *library_code(const struct image *image)
{
	struct bytes name = bytes_base_name(bytes_of(image_name(image)));

	return memmem(name.at, name.len, ".so", 3) ? image_section(image, ".text") : NULL;
}

static bool list_functions(const struct image *image, const char *path,
	bool (*each)(void *context, const struct allocator_function *function), void *context)
{
	const struct image_section *code = library_code(image);
	uint64_t offsets[FUNCTIONS], address;
	size_t count = 0;

	for (size_t i = 0; i < FUNCTIONS; i++) {
		struct allocator_function function = {.path = path, .kind = functions[i].kind};

		if (function_address(image, bytes_of(functions[i].name), &address) !=
				FUNCTION_FOUND ||
			!image_offset(image, cheap_place(image, address), &function.offset) ||
			is_known(offsets, count, function.offset))
			continue;
		offsets[count++] = function.offset;
		address = cheap_place(image, address);
		if (code && address - code->address < code->size && code->size <= UINT32_MAX) {
			function.into = (uint32_t)(address - code->address);
			function.code = (uint32_t)code->size;
		}
		if (!each(context, &function))
			return false;
	}
	return true;
}

static bool has_malloc(const struct image *image)
{
	uint64_t address;

	return function_address(image, BYTES("malloc"), &address) == FUNCTION_FOUND;
}

bool allocators_find(const struct probe_files *files, size_t first,
	bool (*each)(void *context, const struct allocator_function *function), void *context)
{
	bool ok = true;

	for (size_t i = first; ok && i < files->list.len; i++) {
		const struct probe_file *file = &files->list.items[i];
		struct error ignored = {0};
		struct image *image = image_open_fd(file->fd, file->name, &ignored);

		if (image && has_malloc(image))
			ok = list_functions(image, file->path, each, context);
		image_release(image);
	}
	return ok;
}
