/* v8_call.c: which function does a node of V8's profiles name? */
#include "readers/browsers/v8_call.h"

uint32_t v8_node_id(struct json *j)
{
	int64_t id = json_number_if(j, 0, -1);

	return id < 0 || id >= JSON_NO_INDEX ? JSON_NO_INDEX : (uint32_t)id;
}

void v8_call_clear(struct v8_call *c)
{
	c->function.len = c->url.len = 0;
	c->line = c->column = -1;
	json_extra_clear(&c->extra);
}

void v8_call_release(struct v8_call *c)
{
	buffer_release(&c->function);
	buffer_release(&c->url);
	json_extra_release(&c->extra);
}

bool v8_call_key(struct v8_call *c, struct bytes key, struct json *j)
{
	if (bytes_equal(key, BYTES("functionName")))
		buffer_set(&c->function, json_string_if(j));
	else if (bytes_equal(key, BYTES("url")))
		buffer_set(&c->url, json_string_if(j));
	else if (bytes_equal(key, BYTES("lineNumber")))
		c->line = json_number_if(j, 0, -1);
	else if (bytes_equal(key, BYTES("columnNumber")))
		c->column = json_number_if(j, 0, -1);
	else if (bytes_equal(key, BYTES("kiln")))
		json_extra_read(&c->extra, j);
	else
		return false;
	return true;
}

void v8_call_read(struct v8_call *c, struct json *j)
{
	struct bytes key;

	v8_call_clear(c);
	if (!json_object_if(j))
		return;
	while (json_key(j, &key))
		if (!v8_call_key(c, key, j))
			json_skip(j);
}

/* Functions without a name are distinguished by their place. */
static void name_anonymous(struct v8_call *c, struct bytes file)
{
	if (c->function.len)
		return;
	buffer_text(&c->function, "(anonymous)");
	if (!file.len)
		return;
	buffer_printf(&c->function, " %.*s", (int)file.len, file.at);
	if (c->line >= 0)
		buffer_printf(&c->function, ":%lld", (long long)c->line + 1);
	if (c->line >= 0 && c->column >= 0)
		buffer_printf(&c->function, ":%lld", (long long)c->column + 1);
}

/* Numbers count from 0. V8 does not record the tier that ran. */
void v8_call_name(struct v8_call *c, struct v8_node *n, struct text_stacks *t)
{
	struct bytes file = buffer_bytes(&c->url);
	struct text_frame frame = {.kind = file.len ? FRAME_JIT : FRAME_NATIVE};

	if (bytes_starts_with(file, BYTES("file://")))
		file = (struct bytes){file.at + 7, file.len - 7};
	name_anonymous(c, file);
	frame.function = buffer_bytes(&c->function);
	frame.file = file;
	if (c->line >= 0 && c->line < UINT32_MAX)
		frame.line = (uint32_t)c->line + 1;
	if (bytes_equal(frame.function, BYTES("(idle)")))
		frame.kind = FRAME_IDLE;
	if (c->extra.present) {
		frame.kind = c->extra.kind;
		frame.module = buffer_bytes(&c->extra.module);
	} else if (frame.kind == FRAME_IDLE) {
		n->what = V8_NODE_IDLE;
	}
	if (!c->extra.present && bytes_equal(frame.function, BYTES("(root)")))
		n->what = V8_NODE_ROOT;
	n->location = text_stacks_frame(t, &frame);
}
