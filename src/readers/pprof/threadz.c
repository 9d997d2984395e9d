/* threadz.c: stacks of all threads, as servers print them for pprof.
 *
 *	--- threadz 1 ---
 *
 *	--- Thread 7f794ab90940 (name: main/14748) stack: ---
 *	  PC:  0x00bc8f1c: helper(arg *)
 *	  0x0040be31: main
 *	      creator: 0xa45b96 0xa460b4
 *	--- Thread 7f794964e700 (name: thread1/14751) stack: ---
 *	  [same as previous thread]
 *	--- Memory map: ---
 *	  00400000-00fcb000: /bin/server
 *
 * Each thread counts 1. What created it follows as its outer frames, as in pprof. Source of the
 * format: google/pprof, profile/legacy_profile.go. */
#include "readers/lines/line_format.h"
#include "readers/pprof/address_stacks.h"

#define EXPECTS "`--- Thread ID (name: NAME/ID) stack: ---`, and addresses below it"

struct threadz {
	struct text_stacks stacks;
	struct address_stacks addresses;
	const struct read_options *options;
	struct buffer thread, last; /* addresses, separated by blanks: of the open thread, and of
				       the one before */
	uint64_t line;		    /* where the open thread begins; 0: none is open */
	bool mappings;
};

static void close_thread(struct threadz *z)
{
	const int64_t one = 1;

	if (z->line && address_stacks_parse(&z->addresses, buffer_bytes(&z->thread)))
		address_stacks_add(&z->addresses, z->line, &one, 1);
	if (z->line)
		buffer_set(&z->last, buffer_bytes(&z->thread));
	z->thread.len = 0;
	z->line = 0;
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* All addresses of a line: "PC: 0xbc8f1c 0xbcae55", "0x0040be31: main". Returns how many. */
static size_t take_addresses(struct threadz *z, struct bytes line)
{
	size_t count = 0, end;

	for (size_t i = 0; i + 2 < line.len; i = end) {
		end = i + 1;
		if (line.at[i] != '0' || line.at[i + 1] != 'x' || !is_hex(line.at[i + 2]) ||
			(i && line.at[i - 1] != ' '))
			continue;
		for (end = i + 2; end < line.len && is_hex(line.at[end]);)
			end++;
		buffer_char(&z->thread, ' ');
		buffer_add(&z->thread, line.at + i, end - i);
		count++;
		if (end < line.len && line.at[end] == ':')
			break; /* its name follows */
	}
	return count;
}

static bool start(void *self, struct error *err)
{
	struct threadz *z = self;

	(void)err;
	text_stacks_stream(&z->stacks, BYTES("threads"), BYTES("count"), (struct bytes){0});
	return true;
}

static bool take_line(void *self, struct bytes line, struct error *err)
{
	struct threadz *z = self;

	(void)err;
	line = bytes_trim(line);
	if (address_stacks_maps_start(line)) {
		close_thread(z);
		z->mappings = true;
	} else if (z->mappings) {
		address_stacks_map(&z->addresses, line);
	} else if (bytes_starts_with(line, BYTES("--- Thread "))) {
		close_thread(z);
		z->line = z->stacks.lines.number;
	} else if (z->line && bytes_find(line, BYTES("same as previous thread"))) {
		buffer_set(&z->thread, buffer_bytes(&z->last));
	} else if (line.len && !bytes_starts_with(line, BYTES("--- threadz ")) &&
		   (!z->line ||
			   (!take_addresses(z, line) && !bytes_equal(line, BYTES("creator:"))))) {
		text_stacks_skip(&z->stacks, "expected " EXPECTS);
	}
	return true;
}

static bool end(void *self, struct error *err)
{
	struct threadz *z = self;

	close_thread(z);
	return address_stacks_finish(&z->addresses, &z->stacks, z->options, err);
}

static void release(void *self)
{
	struct threadz *z = self;

	buffer_release(&z->thread);
	buffer_release(&z->last);
	address_stacks_release(&z->addresses);
}

static const struct line_format format = {
	.start = start, .line = take_line, .end = end, .release = release};

static bool read(struct input *in, const struct read_options *options, struct profile *out,
	struct error *err)
{
	struct threadz z = {.options = options, .addresses.exact_leaf = true};

	return line_format_read(&format, &z, in, options, out, err);
}

static int bid(struct bytes head)
{
	return bytes_starts_with(head, BYTES("--- threadz ")) &&
			       bytes_find(head, BYTES("\n--- Thread "))
		       ? 8 * 23
		       : 0;
}

const struct reader reader_threadz = {
	.name = "threadz",
	.about = "stacks of threads that servers print for pprof (/threadz)",
	.expects = EXPECTS,
	.proof = "pprof's own samples: threads and addresses as in its expected output",
	.bid = bid,
	.blanks = true,
	.read = read,
};
