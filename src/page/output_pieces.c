/* output_pieces.c: base/output_pieces.h for a module with one thread. */
#include "base/output_pieces.h"

void output_write_pieces(struct output *o, size_t max, size_t count,
	void (*make)(void *context, size_t i, struct buffer *text), void *context)
{
	struct buffer text = {0};

	(void)max;
	for (size_t i = 0; i < count; i++) {
		text.len = 0;
		make(context, i, &text);
		output_write(o, buffer_bytes(&text));
	}
	buffer_release(&text);
}
