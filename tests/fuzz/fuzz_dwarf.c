/* fuzz_dwarf.c: damaged debugging information, also in a package of split files or in a shared
 * file.
 *
 * Three bytes say how long the second file is, which is at the end: the first one may have it as
 * its package, or name it ("fuzz.dwp") in .gnu_debugaltlink. */
#include "base/buffer.h"
#include "base/memory.h"
#include "images/dwarf_functions.h"
#include "images/dwarf_lookup.h"
#include "support/work_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define ADDRESSES 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The second file, where the first one's name leads to it. */
static void write_second(struct bytes content)
{
	const char *path = work_path("fuzz.dwp");
	int fd;

	unlink(path);
	if (!content.len)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, content.at, content.len) != (ssize_t)content.len)
		abort();
	close(fd);
}

struct seen {
	unsigned times[ADDRESSES];
	unsigned sum; /* so that every byte is read */
};

static void see(void *context, size_t index, const struct dwarf_frame *frames, size_t count)
{
	struct seen *seen = context;

	if (index >= ADDRESSES || seen->times[index]++ || count > DWARF_FRAMES_LIMIT)
		abort();
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < frames[i].name.len; j++)
			seen->sum += (unsigned char)frames[i].name.at[j];
		for (size_t j = 0; j < frames[i].file.len; j++)
			seen->sum += (unsigned char)frames[i].file.at[j];
	}
}

static void look_up(const struct image *image, bool lines)
{
	const struct image_section *code = image_section(image, ".text");
	struct dwarf *dwarf = dwarf_open(image, NULL, NULL);
	struct seen seen = {0};
	uint64_t addresses[ADDRESSES], step = code ? code->size / ADDRESSES + 1 : 1;

	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = (code ? code->address : 0x401000) + i * step;
	/* Addresses that do not ascend are the caller's mistake, not the file's. */
	if (addresses[0] < addresses[ADDRESSES - 1])
		dwarf_lookup(dwarf, addresses, ADDRESSES, lines, 1, see, &seen);
	for (size_t i = 0; i < ADDRESSES; i++)
		if (addresses[0] < addresses[ADDRESSES - 1] && !seen.times[i])
			abort();
	dwarf_release(dwarf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes first = {(const char *)data + 3, size - 3}, second = {0};
	struct error err = {0};
	struct image *image;

	if (size < 3)
		return 0;
	second.len = data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
	second.len = second.len < first.len ? second.len : first.len;
	first.len -= second.len;
	second.at = first.at + first.len;
	write_second(second);
	image = image_open_bytes(first, work_path("fuzz"), &err);
	if (image) {
		look_up(image, true);
		look_up(image, false);
	}
	image_release(image);
	return 0;
}
