/* Bytes for the .npz and set readers: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "dataset/set_internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A deflated array cannot be more than this many times its file. */
enum { INFLATION_MAX = 1032 };

enum { NAMES = 10 };
static const char *const names[NAMES] = {"X",   "y",        "subject", "signals", "session",
                                         "run", "channels", "classes", "fs",      "meta"};

static void check_array(congru_npz *npz, size_t size, const char *name)
{
    congru_values values;
    congru_status status = congru_npz_read(NULL, npz, name, &values);
    bool there = values.real != NULL || values.integer != NULL || values.text != NULL;
    if (status == CONGRU_OK ? !there || values.count / INFLATION_MAX > size + 1 : there || values.count != 0)
        abort();
    congru_values_clear(&values);
}

static void check_set(const congru_set *set)
{
    if (set->count == 0 || set->dimension == 0 || (set->covariance == NULL && set->signals == NULL))
        abort();
    for (size_t i = 0; i < set->count; i++)
        if ((size_t)set->label[i] >= set->classes || (size_t)set->subject[i] >= set->subjects)
            abort();
}

static void check_archive(const uint8_t *bytes, size_t size)
{
    congru_npz *npz;
    if (congru_npz_open_memory(NULL, "fuzz", bytes, size, &npz) == CONGRU_OK) {
        for (size_t i = 0; i < NAMES; i++)
            check_array(npz, size, names[i]);
        congru_npz_close(&npz);
    }
    congru_set *set;
    if (congru_set_parse(NULL, "fuzz", bytes, size, &set) == CONGRU_OK)
        check_set(set);
    else if (set != NULL)
        abort();
    congru_set_destroy(&set);
}

static void put(uint8_t **into, const void *data, size_t size)
{
    memcpy(*into, data, size);
    *into += size;
}

static void put_number(uint8_t **into, uint32_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *(*into)++ = (uint8_t)(number >> 8 * i);
}

/* What a local header and an entry of the directory have in common. */
static void put_about(uint8_t **into, const char *name, const uint8_t *data, uint32_t size)
{
    put(into, (const uint8_t[]){20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0}, 10); /* version, flags, stored, 1980 */
    put_number(into, (uint32_t)crc32(0, data, size), 4);
    put_number(into, size, 4);
    put_number(into, size, 4);
    put_number(into, (uint32_t)strlen(name), 2);
    put_number(into, 0, 2);
}

/* Bytes that are no zip: pieces, each after two bytes of its length, that become the arrays of an archive whose
 * checksums are right. A fuzzer does not find those, and would never get past them. */
static void check_pieces(const uint8_t *bytes, size_t size)
{
    uint8_t *archive = malloc(size + NAMES * 256 + 64), *at = archive, directory[NAMES * 128],
            *entry = directory;
    uint32_t count = 0;
    if (archive == NULL)
        return;
    for (size_t i = 0; i < NAMES && size >= 2; i++) {
        size_t length = bytes[0] | (size_t)bytes[1] << 8;
        bytes += 2;
        size -= 2;
        length = length < size ? length : size;
        if (length > 0) {
            char name[32];
            snprintf(name, sizeof name, "%s.npy", names[i]);
            put(&entry, "PK\1\2\24", 6);
            put_about(&entry, name, bytes, (uint32_t)length);
            put(&entry, (const uint8_t[10]){0}, 10);
            put_number(&entry, (uint32_t)(at - archive), 4);
            put(&entry, name, strlen(name));
            put(&at, "PK\3\4", 4);
            put_about(&at, name, bytes, (uint32_t)length);
            put(&at, name, strlen(name));
            put(&at, bytes, length);
            count++;
        }
        bytes += length;
        size -= length;
    }
    uint32_t begin = (uint32_t)(at - archive);
    put(&at, directory, (size_t)(entry - directory));
    put(&at, "PK\5\6\0\0\0", 8);
    put_number(&at, count, 2);
    put_number(&at, count, 2);
    put_number(&at, (uint32_t)(entry - directory), 4);
    put_number(&at, begin, 4);
    put_number(&at, 0, 2);
    check_archive(archive, (size_t)(at - archive));
    free(archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size >= 2 && bytes[0] == 'P' && bytes[1] == 'K')
        check_archive(bytes, size);
    else
        check_pieces(bytes, size);
    return 0;
}
