/* kernel_kept.c: the running kernel's symbols, kept from one run to the next. */
#include "images/kernel_kept.h"

#include "base/clock.h"
#include "base/hash.h"
#include "images/kernel_rows.h"
#include "images/symbol_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULES_ROOM   ((uint64_t)16 << 20) /* bytes of /proc/modules */
#define PROGRAMS_LIMIT 65536u
#define FILE_NAME_ROOM 80u
#define NOTED_FOR      (5 * SECOND_NS)

/* The file. Behind it: rows, ends of the modules' names, these names, and the functions'. */
struct kept_head {
	char magic[8];
	uint64_t checksum; /* XXH3 of all behind it */
	struct kernel_key key;
	uint64_t text_start;
	uint32_t rows, modules, module_bytes, text_bytes;
};

/* ---- The key ---- */

/* The start of a file of the kernel; what is missing is zero. */
static bool read_start(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd >= 0 ? read(fd, to, room) : -1;

	if (fd >= 0)
		close(fd);
	return got > 0;
}

/* "nf_tables 372736 34 nft_ct,nft_masq, Live 0xffffffffc0a00000": the number of users changes all
 * the time. A kernel without modules has no such file. */
static uint64_t hash_modules(void)
{
	struct error ignored = {0};
	struct bytes line, text = {0};
	uint64_t hash = 1;
	struct input in;

	if (!input_open(&in, "/proc/modules", &ignored))
		return hash;
	input_whole(&in, MODULES_ROOM, &text, &ignored);
	while (bytes_line(&text, &line)) {
		struct bytes name = {0}, size = {0}, rest = line;
		const char *address = bytes_find_last(line, ' ');

		bytes_cut(&rest, ' ', &name);
		bytes_cut(&rest, ' ', &size);
		hash = hash_pair(hash, hash_bytes(line.at, name.len + 1 + size.len));
		if (address)
			hash = hash_pair(
				hash, hash_bytes(address, (size_t)(line.at + line.len - address)));
	}
	input_release(&in);
	return hash;
}

/* Ids are never used again before the next boot. 0: this process may not list them. */
static uint64_t hash_programs(void)
{
	union bpf_attr attr = {0};
	uint64_t hash = 1;
	unsigned count = 0;

	while (!syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr))) {
		if (count++ == PROGRAMS_LIMIT)
			return 0;
		hash = hash_pair(hash, attr.next_id);
		attr.start_id = attr.next_id;
	}
	return errno == ENOENT ? hash | 1 : 0;
}

/* What was found before this process gave up its rights. A server may need it much later, when it
 * is no longer true. */
static struct {
	_Atomic uint64_t programs, until; /* ns */
} noted;

void kernel_kept_prepare(void)
{
	noted.programs = hash_programs();
	noted.until = monotonic_ns() + NOTED_FOR;
}

bool kernel_key_read(struct kernel_key *ret)
{
	*ret = (struct kernel_key){.modules = hash_modules(), .programs = hash_programs()};
	if (!ret->programs && monotonic_ns() < noted.until)
		ret->programs = noted.programs;
	return read_start("/proc/sys/kernel/random/boot_id", ret->boot, sizeof(ret->boot)) &&
	       read_start("/proc/kallsyms", ret->beginning, sizeof(ret->beginning));
}

/* ---- Reading ---- */

static uint64_t size_of(const struct kept_head *head)
{
	return sizeof(*head) + (uint64_t)head->rows * sizeof(struct kernel_row) +
	       (uint64_t)head->modules * sizeof(uint32_t) + head->module_bytes + head->text_bytes;
}

static uint64_t checksum_of(struct bytes file)
{
	const size_t before = offsetof(struct kept_head, key);

	return hash_bytes(file.at + before, file.len - before);
}

static bool rows_are_good(const struct kernel *k)
{
	for (size_t i = 0; i < k->rows.len; i++) {
		const struct kernel_row *row = &k->rows.items[i];

		if (!row->name_len || row->name > k->text.len ||
			row->name_len > k->text.len - row->name || row->module >= k->modules.len ||
			(i && row->address <= k->rows.items[i - 1].address))
			return false;
	}
	return true;
}

static bool take_modules(struct kernel *k, const uint32_t *ends, uint32_t count, struct bytes names)
{
	uint32_t before = 0;

	for (uint32_t i = 0; i < count; i++) {
		if (ends[i] < before || ends[i] > names.len)
			return false;
		vector_push(&k->modules, ((struct bytes){names.at + before, ends[i] - before}));
		before = ends[i];
	}
	return count && count <= KERNEL_MODULES_LIMIT + 1;
}

bool kernel_kept_take(struct kernel *k, struct bytes file)
{
	struct kept_head head;
	const char *at = file.at + sizeof(head);
	const uint32_t *ends;

	if (file.len < sizeof(head))
		return false;
	memcpy(&head, file.at, sizeof(head));
	if (memcmp(head.magic, KERNEL_KEPT_MAGIC, sizeof(head.magic)) != 0 ||
		size_of(&head) != file.len || head.checksum != checksum_of(file))
		return false;
	k->rows.items = (struct kernel_row *)(uintptr_t)at; /* borrowed: never written */
	k->rows.len = head.rows;
	at += (size_t)head.rows * sizeof(struct kernel_row);
	ends = (const uint32_t *)(const void *)at;
	at += (size_t)head.modules * sizeof(*ends);
	k->text_start = head.text_start;
	k->text = (struct bytes){at + head.module_bytes, head.text_bytes};
	return take_modules(k, ends, head.modules, (struct bytes){at, head.module_bytes}) &&
	       rows_are_good(k);
}

static bool is_of(struct bytes file, const struct kernel_key *key)
{
	return file.len >= sizeof(struct kept_head) &&
	       !memcmp(file.at + offsetof(struct kept_head, key), key, sizeof(*key));
}

/* "0123abcd.kernel", by the kernel's build id. */
static bool file_name(char ret_name[FILE_NAME_ROOM])
{
	char hex[65];

	if (!kernel_build_id_text(hex))
		return false;
	snprintf(ret_name, FILE_NAME_ROOM, "%s.kernel", hex);
	return true;
}

struct kernel *kernel_kept_open(void)
{
	char name[FILE_NAME_ROOM];
	struct kernel *k;
	struct kernel_key key;

	if (!file_name(name) || !kernel_key_read(&key))
		return NULL;
	k = memory_new(1, sizeof(*k));
	if (symbol_cache_open(name, &k->kept) && is_of(k->kept.content, &key) &&
		kernel_kept_take(k, k->kept.content))
		return k;
	kernel_release(k);
	return NULL;
}

/* ---- Writing ---- */

static bool has_programs(const struct kernel *k)
{
	for (size_t i = 0; i < k->modules.len; i++)
		if (bytes_equal(k->modules.items[i], BYTES("[bpf]")))
			return true;
	return false;
}

/* The names of functions, each once, so that the file has no others. */
static void collect(const struct kernel *k, struct kernel_row *ret_rows, struct buffer *text)
{
	for (size_t i = 0; i < k->rows.len; i++) {
		const struct kernel_row *row = &k->rows.items[i];

		ret_rows[i] = *row;
		ret_rows[i].name = (uint32_t)text->len;
		buffer_add(text, k->text.at + row->name, row->name_len);
	}
}

void kernel_kept_make(const struct kernel *k, const struct kernel_key *key, struct buffer *ret_file)
{
	struct kept_head head = {.magic = KERNEL_KEPT_MAGIC,
		.key = *key,
		.text_start = k->text_start,
		.rows = (uint32_t)k->rows.len,
		.modules = (uint32_t)k->modules.len};
	struct kernel_row *rows = memory_new(k->rows.len, sizeof(*rows));
	struct buffer names = {0}, text = {0}, ends = {0};

	collect(k, rows, &text);
	for (size_t i = 0; i < k->modules.len; i++) {
		uint32_t end;

		buffer_add(&names, k->modules.items[i].at, k->modules.items[i].len);
		end = (uint32_t)names.len;
		buffer_add(&ends, (const char *)&end, sizeof(end));
	}
	head.module_bytes = (uint32_t)names.len;
	head.text_bytes = (uint32_t)text.len;
	buffer_add(ret_file, (const char *)&head, sizeof(head));
	buffer_add(ret_file, (const char *)rows, k->rows.len * sizeof(*rows));
	buffer_add(ret_file, ends.at, ends.len);
	buffer_add(ret_file, names.at, names.len);
	buffer_add(ret_file, text.at, text.len);
	head.checksum = checksum_of(buffer_bytes(ret_file));
	memcpy(ret_file->at, &head, sizeof(head));
	buffer_release(&names);
	buffer_release(&text);
	buffer_release(&ends);
	memory_free(rows);
}

/* A program that was loaded while the symbols were read has no name in them. */
void kernel_keep(const struct kernel *k, const struct kernel_key *before)
{
	char name[FILE_NAME_ROOM];
	struct buffer file = {0};
	struct kernel_key key;
	struct output out;

	if (!file_name(name) || !kernel_key_read(&key) || (!key.programs && has_programs(k)) ||
		memcmp(&key, before, sizeof(key)) != 0)
		return;
	kernel_kept_make(k, &key, &file);
	if (symbol_cache_create(name, file.len, &out)) {
		output_write(&out, buffer_bytes(&file));
		symbol_cache_commit(&out);
	}
	buffer_release(&file);
}
