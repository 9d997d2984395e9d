/* small_elf.c: an ELF file around unwind tables. */
#include "support/small_elf.h"

#include <elf.h>

static const char names[] = "\0.eh_frame\0.debug_frame\0.eh_frame_hdr\0.plt\0.shstrtab";
enum { NAME_EH_FRAME = 1, NAME_DEBUG_FRAME = 11, NAME_HEADER = 24, NAME_PLT = 38, NAME_NAMES = 43 };
enum { TABLES = 1, HEADER, PLT, NAMES, SECTIONS };

static Elf64_Shdr section(uint32_t name, uint64_t offset, uint64_t address, size_t size)
{
	return (Elf64_Shdr){.sh_name = name,
		.sh_type = SHT_PROGBITS,
		.sh_flags = address ? SHF_ALLOC : 0,
		.sh_addr = address,
		.sh_offset = offset,
		.sh_size = size,
		.sh_addralign = 1};
}

static Elf64_Phdr segment(uint32_t type, uint64_t offset, uint64_t address, size_t size)
{
	return (Elf64_Phdr){.p_type = type,
		.p_flags = PF_R,
		.p_offset = offset,
		.p_vaddr = address,
		.p_filesz = size,
		.p_memsz = size,
		.p_align = 1};
}

void small_elf(struct buffer *ret_file, struct bytes tables, bool debug, struct bytes header)
{
	size_t segments = header.len ? 2 : 1;
	uint64_t at_tables = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
	uint64_t at_header = at_tables + tables.len, at_plt = at_header + header.len;
	uint64_t at_names = at_plt + 64, at_sections = at_names + sizeof(names);
	uint64_t header_address = SMALL_ELF_TABLES + tables.len;
	Elf64_Ehdr file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				   EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(file),
		.e_shoff = at_sections,
		.e_ehsize = sizeof(file),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)segments,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES};
	Elf64_Phdr loaded = segment(PT_LOAD, at_tables, SMALL_ELF_TABLES, tables.len + header.len);
	Elf64_Phdr found = segment(PT_GNU_EH_FRAME, at_header, header_address, header.len);
	Elf64_Shdr sections[SECTIONS] = {
		[TABLES] = section(debug ? NAME_DEBUG_FRAME : NAME_EH_FRAME, at_tables,
			debug ? 0 : SMALL_ELF_TABLES, tables.len),
		[HEADER] = section(NAME_HEADER, at_header, header_address, header.len),
		[PLT] = section(NAME_PLT, at_plt, SMALL_ELF_CODE, 64),
		[NAMES] = section(NAME_NAMES, at_names, 0, sizeof(names)),
	};
	static const char plt[64];

	buffer_add(ret_file, &file, sizeof(file));
	buffer_add(ret_file, &loaded, sizeof(loaded));
	if (segments == 2)
		buffer_add(ret_file, &found, sizeof(found));
	buffer_add(ret_file, tables.at, tables.len);
	buffer_add(ret_file, header.at, header.len);
	buffer_add(ret_file, plt, sizeof(plt));
	buffer_add(ret_file, names, sizeof(names));
	buffer_add(ret_file, sections, sizeof(sections));
}

/* ---- Stripped ---- */

static const char stripped_names[] = "\0.text\0.note.gnu.build-id\0.gnu_debuglink\0.shstrtab";
enum { STRIPPED_TEXT = 1, STRIPPED_NOTE = 7, STRIPPED_LINK = 26, STRIPPED_NAMES = 41 };

static void add_note(struct buffer *b, struct bytes build_id)
{
	Elf64_Nhdr note = {4, (Elf64_Word)build_id.len, NT_GNU_BUILD_ID};

	if (!build_id.len)
		return;
	buffer_add(b, &note, sizeof(note));
	buffer_add(b, "GNU", 4);
	buffer_add(b, build_id.at, build_id.len);
	while (b->len % 4)
		buffer_char(b, 0);
}

static void add_link(struct buffer *b, const char *link, uint32_t checksum)
{
	buffer_add(b, link, strlen(link) + 1);
	while (b->len % 4)
		buffer_char(b, 0);
	buffer_add(b, &checksum, sizeof(checksum));
}

void small_elf_stripped(struct buffer *ret_file, uint64_t code, struct bytes build_id,
	const char *link, uint32_t checksum)
{
	enum { TEXT = 1, NOTE, LINK, SHSTRTAB, COUNT };
	struct buffer note = {0}, linked = {0};
	uint64_t at_note = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), at_link, at_names;
	Elf64_Ehdr file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				   EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(file),
		.e_ehsize = sizeof(file),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = COUNT,
		.e_shstrndx = SHSTRTAB};
	Elf64_Phdr loaded = segment(PT_LOAD, 0, code, SMALL_ELF_CODE_SIZE);

	add_note(&note, build_id);
	add_link(&linked, link, checksum);
	at_link = at_note + note.len;
	at_names = at_link + linked.len;
	file.e_shoff = (at_names + sizeof(stripped_names) + 7) & ~(uint64_t)7;
	{
		Elf64_Shdr sections[COUNT] = {
			[TEXT] = section(STRIPPED_TEXT, 0, code, SMALL_ELF_CODE_SIZE),
			[NOTE] = section(STRIPPED_NOTE, at_note, 0, note.len),
			[LINK] = section(STRIPPED_LINK, at_link, 0, linked.len),
			[SHSTRTAB] = section(STRIPPED_NAMES, at_names, 0, sizeof(stripped_names)),
		};

		sections[TEXT].sh_flags |= SHF_EXECINSTR;
		sections[NOTE].sh_type = SHT_NOTE;
		sections[SHSTRTAB].sh_type = SHT_STRTAB;
		buffer_add(ret_file, &file, sizeof(file));
		buffer_add(ret_file, &loaded, sizeof(loaded));
		buffer_add(ret_file, note.at, note.len);
		buffer_add(ret_file, linked.at, linked.len);
		buffer_add(ret_file, stripped_names, sizeof(stripped_names));
		while (ret_file->len < file.e_shoff)
			buffer_char(ret_file, 0);
		buffer_add(ret_file, sections, sizeof(sections));
	}
	/* The content of .text is in the file, too. */
	while (ret_file->len < SMALL_ELF_CODE_SIZE)
		buffer_char(ret_file, 0);
	buffer_release(&note);
	buffer_release(&linked);
}
