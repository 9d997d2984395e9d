/* sources.c: what does a source file say, and what is the code of a function? */
#include "server/sources.h"

#include "base/broker.h"
#include "base/memory.h"
#include "images/symbols.h"
#include "server/objdump.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_LIMIT  ((off_t)4 << 20)	/* bytes of a source file */
#define CODE_LIMIT  ((uint64_t)1 << 18) /* bytes of a function's code; the rest is left out */
#define NAMES_LIMIT 10000u		/* newest source files that debug information named */

struct sources {
	const struct binary_locations *binary_locations;
	pthread_mutex_t lock; /* one disassembly at a time; guards `named` */
	VECTOR(char *) named; /* source files named by debug information */
};

struct sources *sources_new(const struct binary_locations *binary_locations)
{
	struct sources *s = memory_new(1, sizeof(*s));

	s->binary_locations = binary_locations;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void sources_release(struct sources *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->named.len; i++)
		free(s->named.items[i]);
	vector_release(&s->named);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

bool sources_is_known(const char *address)
{
	return !strcmp(address, "text") || !strcmp(address, "code");
}

/* ---- Parameters ---- */

struct request {
	const char *profile, *file, *binary, *build_id;
	uint64_t address;
};

static bool read_words(const struct question *q, struct request *ret, struct error *err)
{
	*ret = (struct request){.build_id = ""};
	for (size_t i = 0; i < q->words.len; i++) {
		const char *word = q->words.items[i], *value = strchr(word, '=');
		struct bytes name = {word, value ? (size_t)(value - word) : strlen(word)};

		value = value ? value + 1 : "";
		if (bytes_equal(name, BYTES("profile")))
			ret->profile = value;
		else if (bytes_equal(name, BYTES("file")))
			ret->file = value;
		else if (bytes_equal(name, BYTES("binary")))
			ret->binary = value;
		else if (bytes_equal(name, BYTES("build-id")))
			ret->build_id = value;
		else if (!bytes_equal(name, BYTES("address")) ||
			 !bytes_u64(bytes_of(value), &ret->address))
			return error_set(err, ERR_USAGE,
				"%s: expected the parameters profile and file, or profile, binary, "
				"build-id and address (a number)",
				q->address);
	}
	if (strcmp(q->address, "text") ? !ret->binary : !ret->file)
		return error_set(err, ERR_USAGE, "%s: expected the parameter %s", q->address,
			strcmp(q->address, "text") ? "binary" : "file");
	return true;
}

/* ---- Source files ---- */

static bool frames_name(const struct profile *p, struct bytes file)
{
	for (size_t i = 1; i < p->frames.len; i++)
		if (bytes_equal(profile_text(p, p->frames.items[i].file), file))
			return true;
	return false;
}

static bool debug_information_names(struct sources *s, const char *file)
{
	bool found = false;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->named.len && !found; i++)
		found = !strcmp(s->named.items[i], file);
	pthread_mutex_unlock(&s->lock);
	return found;
}

static bool read_text(int fd, const char *file, struct buffer *ret, struct error *err)
{
	struct stat status;
	char part[65536];
	ssize_t got;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return error_set(err, ERR_MISSING, "%s: not a regular file", file);
	if (status.st_size > TEXT_LIMIT)
		return error_set(err, ERR_LIMIT, "%s: longer than 4 MiB", file);
	while ((got = read(fd, part, sizeof(part))) > 0 && (off_t)ret->len <= TEXT_LIMIT)
		buffer_add(ret, part, (size_t)got);
	if (got < 0)
		return error_errno(err, "%s", file);
	if (ret->len && memchr(ret->at, '\0', ret->len))
		return error_set(err, ERR_FORMAT, "%s: not a text file", file);
	return true;
}

static bool answer_text(struct sources *s, const struct stored_profile *of, const struct request *w,
	struct answer *ret, struct error *err)
{
	struct buffer path = {0};
	bool done;
	int fd;

	if (*w->file != '/' || (!frames_name(of->profile, bytes_of(w->file)) &&
				       !debug_information_names(s, w->file)))
		return error_set(err, ERR_MISSING, "%s: not a file of this profile", w->file);
	buffer_printf(&path, "%s%s", s->binary_locations->symfs ? s->binary_locations->symfs : "",
		w->file);
	fd = broker_open(BROKER_SOURCE, path.at);
	if (fd < 0)
		fd = broker_open(BROKER_SOURCE, w->file);
	buffer_release(&path);
	if (fd < 0)
		return error_set(err, ERR_MISSING, "%s: %s", w->file, strerror(errno));
	done = read_text(fd, w->file, &ret->body, err);
	close(fd);
	ret->type = "text/plain; charset=utf-8";
	return done;
}

/* ---- Code ---- */

static bool mappings_name(const struct profile *p, const struct request *w)
{
	for (size_t i = 1; i < p->mappings.len; i++) {
		const struct mapping *m = &p->mappings.items[i];

		if (m->kind == MAPPING_FILE &&
			bytes_equal(profile_text(p, m->file), bytes_of(w->binary)) &&
			bytes_equal(profile_text(p, m->build_id), bytes_of(w->build_id)))
			return true;
	}
	return false;
}

/* One of the files where the binary may be. */
struct found {
	const char *build_id;
	struct image *image;
	char *path;
};

static bool open_binary(void *context, const char *path)
{
	struct found *f = context;
	struct error ignored = {0};
	struct image *image = image_open(path, &ignored);
	char identity[65];

	if (!image)
		return false;
	image_identity_text(image, identity);
	if (*f->build_id && strcmp(identity, f->build_id)) {
		image_release(image);
		return false;
	}
	f->image = image;
	f->path = memory_copy_text(path, strlen(path));
	return true;
}

static void remember_file(struct sources *s, struct bytes name)
{
	for (size_t i = s->named.len; i-- > 0;)
		if (bytes_equal(bytes_of(s->named.items[i]), name))
			return;
	if (s->named.len == NAMES_LIMIT) { /* drop the oldest */
		memory_free(s->named.items[0]);
		memmove(s->named.items, s->named.items + 1,
			--s->named.len * sizeof(*s->named.items));
	}
	vector_push(&s->named, memory_copy_text(name.at, name.len));
}

/* "/src/a.c:12", perhaps with " (discriminator 3)" behind it. */
static bool read_place(struct bytes line, struct bytes *ret_file, uint64_t *ret_line)
{
	const char *behind = bytes_find(line, BYTES(" (discriminator"));
	const char *colon;

	if (behind)
		line.len = (size_t)(behind - line.at);
	colon = memrchr(line.at, ':', line.len);
	if (!line.len || *line.at != '/' || !colon)
		return false;
	*ret_file = (struct bytes){line.at, (size_t)(colon - line.at)};
	return bytes_u64((struct bytes){colon + 1, line.len - ret_file->len - 1}, ret_line);
}

/* "  401136:\tpush   %rbp" */
static bool read_instruction(struct bytes line, uint64_t *ret_address, struct bytes *ret_text)
{
	const char *tab = memchr(line.at, '\t', line.len);
	char *end;

	if (!tab || *line.at != ' ')
		return false;
	*ret_address = strtoull(line.at, &end, 16);
	*ret_text = (struct bytes){tab + 1, line.len - (size_t)(tab + 1 - line.at)};
	return *end == ':' && end + 1 == tab;
}

/* Append the output of objdump as members of the answer. */
static void put_instructions(struct sources *s, struct bytes text, struct buffer *b)
{
	struct bytes line, file = {0}, shown = {0}, instruction;
	uint64_t number = 0, address;
	bool any = false;

	buffer_text(b, ",\"instructions\":[");
	while (bytes_cut(&text, '\n', &line)) {
		if (read_place(line, &file, &number) ||
			!read_instruction(line, &address, &instruction))
			continue;
		buffer_printf(b, "%s[%llu,", any ? ",\n" : "\n", (unsigned long long)address);
		buffer_json(b, instruction);
		buffer_printf(b, ",%llu", (unsigned long long)number);
		if (file.len && !bytes_equal(file, shown)) {
			buffer_char(b, ',');
			buffer_json(b, file);
			remember_file(s, file);
			shown = file;
		}
		buffer_char(b, ']');
		any = true;
	}
	buffer_char(b, ']');
}

static bool disassemble(struct sources *s, const struct found *f, const struct request *w,
	struct buffer *b, struct error *err)
{
	struct symbols *symbols = symbols_load(f->image, NULL);
	struct buffer text = {0}, name = {0};
	struct symbol symbol;
	uint64_t address, end;
	bool done = image_address(f->image, w->address, &address) &&
		    symbols_find(symbols, address, &symbol);

	if (!done) {
		symbols_release(symbols);
		return error_set(err, ERR_MISSING, "%s: no function is at this address", w->binary);
	}
	end = symbol.end - symbol.start > CODE_LIMIT ? symbol.start + CODE_LIMIT : symbol.end;
	pthread_mutex_lock(&s->lock);
	done = objdump_run(f->path, symbol.start, end, &text, err);
	if (done) {
		symbol_text(&symbol, &name);
		buffer_text(b, "{\"name\":");
		buffer_json(b, buffer_bytes(&name));
		buffer_printf(b, ",\"start\":%llu,\"end\":%llu,\"shift\":%lld,\"cut\":%s",
			(unsigned long long)symbol.start, (unsigned long long)symbol.end,
			(long long)(address - w->address), end < symbol.end ? "true" : "false");
		put_instructions(s, buffer_bytes(&text), b);
		buffer_text(b, "}\n");
	}
	pthread_mutex_unlock(&s->lock);
	symbols_release(symbols);
	buffer_release(&text);
	buffer_release(&name);
	return done;
}

static bool answer_code(struct sources *s, const struct stored_profile *of, const struct request *w,
	struct answer *ret, struct error *err)
{
	const struct binary_query place = {
		QUERY_BINARY, bytes_of(w->binary), bytes_of(w->build_id)};
	struct found f = {.build_id = w->build_id};
	bool done;

	if (!mappings_name(of->profile, w))
		return error_set(err, ERR_MISSING, "%s: not a binary of this profile", w->binary);
	binary_locations_visit(s->binary_locations, &place, open_binary, &f);
	if (!f.image)
		return error_set(err, ERR_MISSING,
			"%s: not found, or its build ID is not the recorded one", w->binary);
	done = disassemble(s, &f, w, &ret->body, err);
	ret->type = "application/json";
	image_release(f.image);
	free(f.path);
	return done;
}

bool sources_answer(struct sources *s, const struct question *q, struct profile_store *store,
	struct answer *ret, struct error *err)
{
	const struct stored_profile *of;
	struct request w;
	bool done;

	if (!s->binary_locations)
		return error_set(err, ERR_MISSING, "this server does not show source files");
	if (!read_words(q, &w, err))
		return false;
	of = store->acquire(store, w.profile, err);
	if (!of)
		return false;
	done = strcmp(q->address, "text") ? answer_code(s, of, &w, ret, err)
					  : answer_text(s, of, &w, ret, err);
	store->release(store, of);
	return done;
}
