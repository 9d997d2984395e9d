/* image_file.c: may this binary be opened, and how much memory do all open binaries use? */
#include "images/image_file.h"

#include "base/scope.h"

#include <elf.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that is copied, because others may change it and it cannot be mapped. */
#define IMAGE_COPIED_LIMIT ((uint64_t)2 << 30) /* bytes */
/* All copied files that are open: hard links can give one file any number of names. */
#define IMAGES_COPIED_LIMIT ((uint64_t)4 << 30) /* bytes */

/* Linkers leave only small holes; a sparse file is small on disk but costs as much to read as a
 * full one. */
#define IMAGE_HOLES_LIMIT ((uint64_t)16 << 20) /* bytes */

/* ---- One file ---- */

/* Bytes of the file that are in holes; stops counting above the limit. */
static uint64_t holes_in(int fd, const struct stat *status)
{
	off_t size = status->st_size, before, hole, end = 0;
	uint64_t holes = 0;

	if (status->st_blocks * 512 >= size)
		return 0;
	before = lseek(fd, 0, SEEK_CUR);
	while (holes <= IMAGE_HOLES_LIMIT && (hole = lseek(fd, end, SEEK_HOLE)) >= 0 &&
		hole < size) {
		end = lseek(fd, hole, SEEK_DATA);
		if (end < hole) /* the rest of the file */
			end = size;
		holes += (uint64_t)(end - hole);
	}
	lseek(fd, before, SEEK_SET);
	return holes;
}

/* Checked first, because opening may copy a large file into memory. */
static bool begins_as_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

bool image_file_others_can_change(const struct stat *status)
{
	return (status->st_uid && status->st_uid != geteuid()) ||
	       status->st_mode & (S_IWGRP | S_IWOTH);
}

static bool is_openable(int fd, const char *name, bool *ret_others_can_change, struct error *err)
{
	struct stat status;

	if (fstat(fd, &status))
		return error_errno(err, "%s", name);
	if (!S_ISREG(status.st_mode) || status.st_size < EI_NIDENT || !begins_as_elf(fd))
		return error_set(err, ERR_FORMAT, "%s: not an ELF file", name);
	if ((uint64_t)status.st_size > IMAGE_SIZE_LIMIT)
		return error_set(err, ERR_LIMIT, "%s: larger than %llu GB", name,
			(unsigned long long)(IMAGE_SIZE_LIMIT >> 30));
	if (holes_in(fd, &status) > IMAGE_HOLES_LIMIT)
		return error_set(err, ERR_LIMIT, "%s: sparse file with more than %llu MB of holes",
			name, (unsigned long long)(IMAGE_HOLES_LIMIT >> 20));
	*ret_others_can_change = image_file_others_can_change(&status);
	return true;
}

/* While a file is mapped or open, its inode number is not reused, and inodes identify the mappings
 * of processes. A copied file is neither mapped nor open, so one of its pages is mapped, and never
 * read. */
static void *pin(int fd)
{
	void *at = scope_mapping(mmap(NULL, 1, PROT_NONE, MAP_PRIVATE, fd, 0), 1);

	return at == MAP_FAILED ? NULL : at;
}

/* ---- All files ---- */

/* Memory for data derived from files that other users can change. */
#define IMAGES_DERIVED_LIMIT ((uint64_t)1 << 30) /* bytes */

static _Atomic uint64_t derived;

/* Bytes of images that are open. A leased file is counted only if another user may open it for
 * writing at any time, because Kiln must then copy it (leases.h). */
static _Atomic uint64_t copied, leased;

static uint64_t leased_limit(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
}

/* The counter of a file, or NULL. */
static _Atomic uint64_t *counter_of(const struct image_file *f)
{
	if (f->stable.lease)
		return f->others_can_change ? &leased : NULL;
	return f->stable.is_reread ? NULL : &copied;
}

static bool count_file(struct image_file *f, struct error *err)
{
	f->counter = counter_of(f);
	if (f->counter)
		*f->counter += f->stable.content.len;
	return leased <= leased_limit() ||
	       error_set(err, ERR_LIMIT,
		       "all open binaries that other users can change exceed half of the memory");
}

bool image_file_open(struct image_file *ret, int fd, const char *name, struct error *err)
{
	uint64_t held = copied;
	uint64_t room = held < IMAGES_COPIED_LIMIT ? IMAGES_COPIED_LIMIT - held : 0;

	*ret = (struct image_file){0};
	if (!is_openable(fd, name, &ret->others_can_change, err))
		return false;
	if (!stable_file_open(
		    &ret->stable, fd, room < IMAGE_COPIED_LIMIT ? room : IMAGE_COPIED_LIMIT, err) ||
		!count_file(ret, err)) {
		image_file_close(ret);
		return error_prefix(err, "%s: ", name);
	}
	if (ret->stable.content.len < EI_NIDENT) {
		image_file_close(ret);
		return error_set(err, ERR_FORMAT, "%s: not an ELF file", name);
	}
	if (!ret->stable.lease && !ret->stable.is_reread)
		ret->pinned = pin(fd);
	return true;
}

void image_file_close(struct image_file *file)
{
	if (file->counter)
		*file->counter -= file->stable.content.len;
	derived -= file->derived;
	stable_file_release(&file->stable);
	if (file->pinned)
		scope_unmap(file->pinned, 1);
	*file = (struct image_file){0};
}

bool image_file_charge(struct image_file *file, uint64_t bytes)
{
	if (!file->others_can_change)
		return true;
	if (bytes <= IMAGES_DERIVED_LIMIT) {
		file->derived += bytes;
		if (atomic_fetch_add(&derived, bytes) + bytes <= IMAGES_DERIVED_LIMIT)
			return true;
		file->derived -= bytes;
		derived -= bytes;
	}
	file->is_over_limit = true;
	return false;
}
