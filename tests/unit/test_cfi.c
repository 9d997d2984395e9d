/* test_cfi.c: are the rules of real binaries those that libdw reads? */
#include "test.h"

#include "base/buffer.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "images/cfi_internal.h"
#include "images/cfi_table.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <sys/auxv.h>

/* From larger binaries this many entries are taken, evenly; KILN_CFI_ALL=1 takes all. Binaries that
 * KILN_CFI_BINARIES lists, separated by colons, are compared, too. */
#define SAMPLED_ENTRIES 1500
#define BINARIES_WANTED 10

static const char *const binaries[] = {
	"/lib/x86_64-linux-gnu/libc.so.6",
	"/lib64/ld-linux-x86-64.so.2",
	"/lib/x86_64-linux-gnu/libm.so.6",
	"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
	"/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
	"/usr/bin/python3",
	"/usr/bin/perl",
	"/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
	"/bin/bash",
	"/usr/bin/git",
	"/usr/bin/node",
	"/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1",
	"/usr/lib/x86_64-linux-gnu/libzstd.so.1",
	"/usr/lib/x86_64-linux-gnu/libelf.so.1",
	"/usr/lib/chromium/chromium",
	/* Debian's libc6-arm64-cross */
	"/usr/aarch64-linux-gnu/lib/libc.so.6",
	"/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
	"/usr/aarch64-linux-gnu/lib/libm.so.6",
};

/* ---- libdw's rules and ours as the same text ---- */

static void add_op(struct buffer *b, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		buffer_printf(b, " r%d%+ld", op->atom - DW_OP_breg0, (long)op->number);
	else if (op->atom == DW_OP_bregx)
		buffer_printf(b, " r%lu%+ld", (unsigned long)op->number, (long)op->number2);
	else
		buffer_printf(b, " %x(%lx,%lx)", op->atom, (unsigned long)op->number,
			(unsigned long)op->number2);
}

static void add_ops(struct buffer *b, const Dwarf_Op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_op(b, &ops[i]);
}

static void describe_cfa(struct buffer *b, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t count;

	assert_int_equal(dwarf_frame_cfa(frame, &ops, &count), 0);
	buffer_text(b, "cfa");
	add_ops(b, ops, count);
}

static void describe_column(
	struct buffer *b, const struct arch *arch, Dwarf_Frame *frame, int column)
{
	Dwarf_Op room[3], *ops;
	size_t count;

	assert_int_equal(dwarf_frame_register(frame, column, room, &ops, &count), 0);
	buffer_printf(b, ", %d", column);
	/* elfutils 0.188 takes column 0 for rbx, which is 3, in its list of what functions preserve
	 * (rax is not): where no rule names it, its "undefined" is the ABI's "same". */
	if (!count)
		buffer_text(
			b, ops && (column != 3 || arch->machine != EM_X86_64) ? " lost" : " same");
	else
		add_ops(b, ops, count);
}

static void describe_our_sum(struct buffer *b, const struct cfi_value *v)
{
	buffer_printf(b, " r%d%+d", v->base, v->offset);
}

/* Expressions that are not a formula: the operations that they are made of in practice. */
static void describe_our_expression(struct buffer *b, struct bytes expression)
{
	struct cursor c = cursor_of(expression);

	while (c.at < c.end) {
		Dwarf_Op op = {.atom = cursor_u8(&c)};

		if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
			op.number = (Dwarf_Word)cursor_sleb(&c);
		else if (op.atom == DW_OP_plus_uconst)
			op.number = cursor_uleb(&c);
		add_op(b, &op);
	}
}

static void describe_our_cfa(struct buffer *b, const struct cfi *cfi, const struct cfi_rule *rule)
{
	buffer_text(b, "cfa");
	if (rule->cfa.how == CFI_EXPRESSION) {
		describe_our_expression(b, cfi_expression(cfi, rule->cfa.offset));
		return;
	}
	describe_our_sum(b, &rule->cfa);
	switch (rule->cfa.how) {
	case CFI_REGISTER:
		break;
	case CFI_AT_REGISTER:
		buffer_printf(b, " %x(0,0)", DW_OP_deref);
		if (rule->cfa_after)
			buffer_printf(b, " %x(%x,0)", DW_OP_plus_uconst, rule->cfa_after);
		break;
	case CFI_PLT:
		buffer_printf(b, " r16+0 %x(0,0) %x(0,0) %x(0,0) %x(0,0) %x(0,0) %x(0,0) %x(0,0)",
			DW_OP_lit15, DW_OP_and, DW_OP_lit0 + rule->cfa_after, DW_OP_ge, DW_OP_lit3,
			DW_OP_shl, DW_OP_plus);
		break;
	default:
		buffer_printf(b, " how %d", rule->cfa.how);
	}
}

static void describe_our_column(
	struct buffer *b, const struct arch *arch, const struct cfi_rule *rule, int column)
{
	struct cfi_value v = {.how = CFI_SAME};

	for (unsigned i = 0; i < rule->count; i++) {
		if (rule->values[i].column == column)
			v = rule->values[i];
	}
	buffer_printf(b, ", %d", column);
	switch (v.how) {
	case CFI_SAME:
		buffer_text(b, arch->preserved >> column & 1 ? " same" : " lost");
		break;
	case CFI_UNDEFINED:
		buffer_text(b, " lost");
		break;
	case CFI_AT_CFA:
		buffer_printf(b, " %x(0,0)", DW_OP_call_frame_cfa);
		if (v.offset)
			buffer_printf(b, " %x(%lx,0)", DW_OP_plus_uconst, (long)v.offset);
		break;
	case CFI_CFA:
		buffer_printf(b, " %x(0,0)", DW_OP_call_frame_cfa);
		if (v.offset)
			buffer_printf(b, " %x(%lx,0)", DW_OP_plus_uconst, (long)v.offset);
		buffer_printf(b, " %x(0,0)", DW_OP_stack_value);
		break;
	case CFI_REGISTER:
		buffer_printf(b, " %x(%x,0)", DW_OP_regx, v.base);
		if (v.offset)
			buffer_printf(b, "%+d", v.offset);
		break;
	case CFI_AT_REGISTER:
		buffer_printf(b, " %x(0,0)", DW_OP_call_frame_cfa);
		describe_our_sum(b, &v);
		break;
	default:
		buffer_printf(b, " how %d", v.how);
	}
}

static bool compared_column(const struct arch *arch, int column)
{
	return column == arch->link_register || (arch->preserved >> column & 1);
}

static void describe(struct buffer *b, const struct arch *arch, Dwarf_Frame *frame)
{
	Dwarf_Addr start, end;
	bool signal;

	assert_int_not_equal(dwarf_frame_info(frame, &start, &end, &signal), -1);
	describe_cfa(b, frame);
	for (int column = 0; column <= arch->link_register; column++) {
		if (compared_column(arch, column) || signal)
			describe_column(b, arch, frame, column);
	}
	buffer_text(b, signal ? " signal" : "");
}

static void describe_ours(struct buffer *b, const struct cfi *cfi, const struct cfi_rule *rule)
{
	const struct arch *arch = cfi_arch(cfi);

	if (!rule) {
		buffer_text(b, "none");
		return;
	}
	describe_our_cfa(b, cfi, rule);
	for (int column = 0; column <= arch->link_register; column++) {
		if (compared_column(arch, column) || rule->signal)
			describe_our_column(b, arch, rule, column);
	}
	buffer_text(b, rule->signal ? " signal" : "");
}

/* ---- Walking a binary ---- */

struct tally {
	size_t entries, rows, different;
};

/* After a system call at the end of its function, an address may lie beyond the function's entry.
 * Then the rules are those of the call: return its address, or `address` in other cases. */
static uint64_t before_call(const struct cfi *cfi, uint64_t address)
{
	for (uint64_t call = address; address - call < 16; call--)
		if (bytes_starts_with(image_at(cfi->image, call), cfi_arch(cfi)->system_call))
			return call - 1;
	return address;
}

static void compare_at(struct cfi *cfi, Dwarf_CFI *oracle, uint64_t address, struct tally *tally,
	uint64_t *ret_end)
{
	struct buffer theirs = {0}, ours = {0};
	Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end = address + 1;

	if (dwarf_cfi_addrframe(oracle, address, &frame) &&
		dwarf_cfi_addrframe(oracle, before_call(cfi, address), &frame)) {
		buffer_text(&theirs, "none");
	} else {
		dwarf_frame_info(frame, &start, &end, NULL);
		if (end <= address)
			end = address + 1;
		describe(&theirs, cfi_arch(cfi), frame);
	}
	describe_ours(&ours, cfi, cfi_find(cfi, address));
	tally->rows++;
	if (strcmp(theirs.at, ours.at)) {
		if (tally->different++ < 5)
			print_message("%s: at 0x%lx\n  libdw %s\n  ours  %s\n",
				image_name(cfi->image), (unsigned long)address, theirs.at, ours.at);
	}
	free(frame);
	buffer_release(&theirs);
	buffer_release(&ours);
	*ret_end = end;
}

/* Every row of every entry (or of evenly chosen ones): at its first and its last address. */
static struct tally compare(struct cfi *cfi, enum cfi_source source, Dwarf_CFI *oracle)
{
	const struct cfi_index *index = cfi_source_index(cfi, source);
	size_t stride = getenv("KILN_CFI_ALL") ? 1 : index->count / SAMPLED_ENTRIES + 1;
	struct tally tally = {0};

	for (size_t i = 0; i < index->count; i += stride) {
		struct cfi_entry entry;
		uint64_t at, end, ignored;

		assert_true(cfi_entry_at(cfi, source, i, &entry));
		tally.entries++;
		end = entry.fde.end;
		for (at = entry.fde.start; at < end;) {
			uint64_t next;

			compare_at(cfi, oracle, at, &tally, &next);
			assert_true(next > at);
			compare_at(cfi, oracle, (next < end ? next : end) - 1, &tally, &ignored);
			at = next;
		}
	}
	return tally;
}

/* Entries of a section as libdw counts them. */
static size_t count_entries(Elf *elf, struct bytes content, bool eh_frame)
{
	Elf_Data data = {.d_buf = (void *)(uintptr_t)content.at, .d_size = content.len};
	unsigned char *ident = (unsigned char *)elf_getident(elf, NULL);
	size_t count = 0;
	Dwarf_Off next;
	Dwarf_CFI_Entry entry;

	for (Dwarf_Off at = 0; !dwarf_next_cfi(ident, &data, eh_frame, at, &next, &entry);
		at = next)
		count += !dwarf_cfi_cie_p(&entry);
	return count;
}

/* ---- The exported table ---- */

static void describe_value(struct buffer *b, const struct cfi_rule *rule, int column)
{
	struct cfi_value v = {.how = CFI_SAME};

	for (unsigned i = 0; i < rule->count; i++) {
		if (rule->values[i].column == column)
			v = rule->values[i];
	}
	if (v.how == CFI_EXPRESSION || v.how == CFI_AT_EXPRESSION)
		v = (struct cfi_value){.how = CFI_UNSUPPORTED};
	buffer_printf(b, ", %d %d%+d", v.how, v.base, v.offset);
}

/* The table states of the base pointer only whether it is unchanged or saved. */
static void describe_base(struct buffer *b, const struct cfi_rule *rule, int column)
{
	struct cfi_value v = {.how = CFI_SAME};

	for (unsigned i = 0; i < rule->count; i++)
		if (rule->values[i].column == column)
			v = rule->values[i];
	if (v.how != CFI_SAME && v.how != CFI_AT_CFA)
		v = (struct cfi_value){.how = CFI_UNDEFINED};
	buffer_printf(b, ", base %d%+d", v.how, v.offset);
}

static void describe_lazy(
	struct buffer *b, const struct cfi *cfi, const struct cfi_rule *rule, bool with_base)
{
	if (!rule) {
		buffer_text(b, "none");
		return;
	}
	if (rule->cfa.how == CFI_EXPRESSION)
		buffer_printf(b, "%d 0+0+0", CFI_UNSUPPORTED);
	else
		buffer_printf(b, "%d %d%+d%+d", rule->cfa.how, rule->cfa.base, rule->cfa.offset,
			rule->cfa_after);
	describe_value(b, rule, rule->return_column);
	describe_value(b, rule, cfi_arch(cfi)->frame_pointer);
	buffer_printf(b, " %d", rule->signal);
	if (with_base)
		describe_base(b, rule, cfi_arch(cfi)->base_pointer);
}

static void describe_exported(struct buffer *b, const struct cfi_table_rule *rule, bool with_base)
{
	if (rule->cfa_how == CFI_UNDEFINED) {
		buffer_text(b, "none");
		return;
	}
	buffer_printf(b, "%d %d%+d%+d, %d %d%+d, %d %d%+d %d", rule->cfa_how, rule->cfa_base,
		rule->cfa_offset, rule->cfa_after, rule->ra_how, rule->ra_base, rule->ra_offset,
		rule->fp_how, rule->fp_base, rule->fp_offset, rule->signal);
	if (with_base)
		buffer_printf(b, ", base %d%+d", rule->base_how, rule->base_offset);
}

/* Does the table follow the base pointer? It has to if any CFA is computed from that. */
static bool follows_base(const struct cfi *cfi, const struct cfi_table *table)
{
	bool follows = false, has_to = false;

	for (size_t i = 1; i < table->rule_count; i++) {
		follows |= table->rules[i].base_how != CFI_UNDEFINED;
		has_to |= table->rules[i].cfa_how != CFI_UNSUPPORTED &&
			  table->rules[i].cfa_base == cfi_arch(cfi)->base_pointer;
	}
	assert_int_equal(follows, has_to);
	return follows;
}

static void compare_exported(
	struct cfi *cfi, const struct cfi_table *table, uint64_t address, bool with_base)
{
	struct buffer lazy = {0}, exported = {0};

	describe_lazy(&lazy, cfi, cfi_find(cfi, address), with_base);
	describe_exported(&exported, cfi_table_find(table, address), with_base);
	if (strcmp(lazy.at, exported.at))
		fail_msg("%s: at 0x%lx: lazy %s, exported %s", image_name(cfi->image),
			(unsigned long)address, lazy.at, exported.at);
	buffer_release(&lazy);
	buffer_release(&exported);
}

/* At both ends of every row (or of evenly chosen ones), the table agrees with the lazy lookup. */
static void check_table(struct cfi *cfi)
{
	struct cfi_table table;
	struct error err = {0};
	size_t stride, row = 0;
	bool with_base;

	assert_true(cfi_table_build(cfi, &table, &err));
	with_base = follows_base(cfi, &table);
	if (!strcmp(image_name(cfi->image), "/lib64/ld-linux-x86-64.so.2"))
		assert_true(with_base);
	assert_true(table.page_count > 0 && table.row_count > table.page_count);
	stride = getenv("KILN_CFI_ALL") ? 1 : table.row_count / (8 * SAMPLED_ENTRIES) + 1;
	for (size_t page = 0; page < table.page_count; page++) {
		assert_int_equal(table.rows[table.pages[page]].pc, 0);
		for (; row < table.pages[page + 1]; row += stride) {
			uint64_t base = table.start + (page << CFI_TABLE_PAGE_BITS);
			bool last = row + 1 == table.pages[page + 1];

			compare_exported(cfi, &table, base + table.rows[row].pc, with_base);
			compare_exported(cfi, &table,
				base + (last ? 0xFFFF : table.rows[row + 1].pc - 1u), with_base);
		}
	}
	compare_exported(
		cfi, &table, table.start + (table.page_count << CFI_TABLE_PAGE_BITS), with_base);
	compare_exported(cfi, &table, table.start - 1, with_base);
	cfi_table_release(&table);
}

static void check_elf(struct image *image, Elf *elf)
{
	struct cfi *cfi = cfi_open(image);
	Dwarf_CFI *oracle = dwarf_getcfi_elf(elf);
	const struct cfi_index *index = cfi_source_index(cfi, CFI_EH_FRAME);
	struct cfi_stats stats;
	struct tally tally;

	assert_non_null(oracle);
	tally = compare(cfi, CFI_EH_FRAME, oracle);
	stats = cfi_stats(cfi);
	print_message("%s: %zu of %zu entries, %zu rows, %zu distinct rules, %zu differences\n",
		image_name(image), tally.entries, index->count, tally.rows / 2, stats.rules,
		tally.different);
	assert_int_equal(tally.different, 0);
	assert_int_equal(stats.damaged, 0);
	check_table(cfi);
	assert_int_equal(index->count, count_entries(elf, index->section.content, true));
	cfi_release(cfi);
	dwarf_cfi_end(oracle);
}

static bool check_binary(const char *path)
{
	struct error err = {0};
	struct image *image;
	int fd = open(path, O_RDONLY);
	Elf *elf;

	if (fd < 0)
		return false;
	image = image_open(path, &err);
	assert_non_null(image);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	check_elf(image, elf);
	elf_end(elf);
	image_release(image);
	close(fd);
	return true;
}

static void test_system_binaries(void **state)
{
	size_t checked = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(binaries) / sizeof(*binaries); i++)
		checked += check_binary(binaries[i]);
	assert_true(checked >= BINARIES_WANTED);
}

static void test_further_binaries(void **state)
{
	const char *list = getenv("KILN_CFI_BINARIES");
	char *paths = strdup(list ? list : ""), *rest = paths;

	(void)state;
	for (char *path; (path = strsep(&rest, ":"));)
		assert_true(!*path || check_binary(path));
	free(paths);
}

static void test_vdso(void **state)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	struct error err = {0};
	struct bytes content = {(const char *)header,
		header->e_shoff + (size_t)header->e_shnum * header->e_shentsize};
	struct image *image = image_open_bytes(content, "[vdso]", &err);
	char *copy = memory_copy_text(content.at, content.len);
	Elf *elf = elf_memory(copy, content.len);

	(void)state;
	assert_non_null(image);
	check_elf(image, elf);
	elf_end(elf);
	image_release(image);
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_system_binaries),
		cmocka_unit_test(test_further_binaries),
	};

	elf_version(EV_CURRENT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
