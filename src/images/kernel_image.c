/* kernel_image.c: the symbols of a vmlinux file in the format of /proc/kallsyms. */
#include "images/kernel_image.h"

#include <elf.h>

/* The letter that nm and kallsyms use for a symbol; 0: not a function. Labels in assembly are not
 * always marked as functions. */
static char letter_of(const struct image *image, const Elf64_Sym *symbol)
{
	const struct image_section *section = image_section_header(image, symbol->st_shndx);
	unsigned type = ELF64_ST_TYPE(symbol->st_info), binding = ELF64_ST_BIND(symbol->st_info);

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE || !section ||
		!(section->flags & SHF_EXECINSTR) ||
		(type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC))
		return 0;
	if (binding == STB_WEAK)
		return 'W';
	return binding == STB_LOCAL ? 't' : 'T';
}

static struct bytes name_of(struct bytes strings, const Elf64_Sym *symbol)
{
	struct bytes name = {0};
	const char *end;

	if (symbol->st_name >= strings.len)
		return name;
	name.at = strings.at + symbol->st_name;
	end = memchr(name.at, 0, strings.len - symbol->st_name);
	name.len = end ? (size_t)(end - name.at) : 0;
	if (name.len && (memchr(name.at, '\n', name.len) || memchr(name.at, '\t', name.len)))
		name.len = 0;
	return name;
}

static void add_line(struct buffer *out, const Elf64_Sym *symbol, char letter, struct bytes name)
{
	buffer_printf(out, "%016llx %c ", (unsigned long long)symbol->st_value, letter);
	buffer_add(out, name.at, name.len);
	buffer_char(out, '\n');
}

bool kernel_image_text(const struct image *image, struct buffer *out, struct error *err)
{
	const struct image_section *table = image_section(image, ".symtab");
	const struct image_section *strings =
		table ? image_section_by_index(image, table->link) : NULL;
	size_t before = out->len;

	if (!strings || image_content(image).at[EI_CLASS] != ELFCLASS64)
		return error_set(err, ERR_FORMAT,
			"%s: expected a 64-bit kernel with a symbol table (vmlinux, not vmlinuz)",
			image_name(image));
	for (size_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= table->content.len;
		at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		struct bytes name;
		char letter;

		memcpy(&symbol, table->content.at + at, sizeof(symbol));
		letter = letter_of(image, &symbol);
		name = name_of(strings->content, &symbol);
		/* "$x", ".L1": marks of assemblers */
		if (letter && name.len && name.at[0] != '$' &&
			!bytes_starts_with(name, BYTES(".L")))
			add_line(out, &symbol, letter, name);
	}
	return out->len > before ||
	       error_set(
		       err, ERR_FORMAT, "%s: its symbol table has no functions", image_name(image));
}
