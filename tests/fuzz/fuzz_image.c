/* fuzz_image.c: ELF files of any content: headers, sections, notes, addresses. */
#include "images/image.h"
#include "images/usdt.h"

#include <elf.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Touch every byte that is claimed to exist, for the sanitizer. */
static unsigned touch(struct bytes bytes)
{
	unsigned sum = 0;

	for (size_t i = 0; i < bytes.len; i += 61)
		sum += (unsigned char)bytes.at[i];
	return bytes.len ? sum + (unsigned char)bytes.at[bytes.len - 1] : sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {0};
	struct image *image =
		image_open_bytes((struct bytes){(const char *)data, size}, "fuzz", &err);
	const struct image_section *section;
	struct usdt_argument argument;
	struct usdt_probe probe;
	volatile unsigned sum = 0;
	uint64_t place;
	char text[65];

	if (!image)
		return 0;
	image_build_id_text(image, text);
	sum += touch(image_build_id(image));
	sum += touch(image_segment(image, PT_GNU_EH_FRAME, &place));
	for (size_t i = 0; (section = image_section_by_index(image, i)); i++) {
		sum += touch(section->content) + touch(bytes_of(section->name));
		sum += touch(image_at(image, section->address));
		if (image_offset(image, section->address, &place))
			sum += image_address(image, place, &place);
	}
	image_section(image, ".debug_frame");
	for (size_t at = 0; usdt_next(image, &at, &probe);) {
		sum += touch(probe.provider) + touch(probe.name) + touch(probe.arguments);
		for (unsigned i = 0; i < usdt_count(probe.arguments); i++)
			sum += usdt_argument(probe.arguments, i, &argument);
	}
	(void)sum; /* written so that every byte is read */
	image_release(image);
	return 0;
}
