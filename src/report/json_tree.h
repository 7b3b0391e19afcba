/* JSON files as trees. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_REPORT_JSON_TREE_H
#define CONGRU_REPORT_JSON_TREE_H

#include <stdbool.h>

#include "base/text.h"
#include "congru/status.h"

typedef enum congru_json_kind {
    CONGRU_JSON_NULL,
    CONGRU_JSON_FALSE,
    CONGRU_JSON_TRUE,
    CONGRU_JSON_NUMBER,
    CONGRU_JSON_STRING,
    CONGRU_JSON_ARRAY,
    CONGRU_JSON_OBJECT
} congru_json_kind;

/* One value. Children of arrays and objects are a list in the order of the file. */
typedef struct congru_json {
    congru_json_kind kind;
    double number;
    const char *string;
    const char *name; /* of a member of an object; else NULL */
    struct congru_json *first, *next;
    size_t count; /* children */
} congru_json;

/* A file and the tree of it, which lives as long. */
typedef struct congru_json_file congru_json_file;

enum { CONGRU_JSON_SIZE_MAX = 1 << 28, CONGRU_JSON_VALUES_MAX = 1 << 23 };

/* CONGRU_ERROR_IO; CONGRU_ERROR_FORMAT with the line for what is not JSON (a lenient congru_scan: base/json_scan.h),
 * for a name that comes twice in an object, and for a file above CONGRU_JSON_SIZE_MAX bytes or CONGRU_JSON_VALUES_MAX
 * values. *file is NULL on failure. */
congru_status congru_json_read(congru_context *context, const char *path, congru_json_file **file);

/* The same of bytes in memory, which are copied. */
congru_status congru_json_parse(congru_context *context, const char *name, const char *bytes, size_t size,
                                congru_json_file **file);
void congru_json_destroy(congru_json_file **file);

const congru_json *congru_json_root(const congru_json_file *file);

/* The member of this name, or NULL when there is none or `object` is NULL or no object. */
const congru_json *congru_json_tree_member(const congru_json *object, const char *name);

/* The text or number of a value; the fallback, or NaN, when it is NULL or another kind. */
const char *congru_json_tree_string(const congru_json *value, const char *fallback);
double congru_json_tree_number(const congru_json *value);

/* The number of children when it is an array; else 0. */
size_t congru_json_length(const congru_json *value);

/* Writes the value, NULL as null, in the form of congru_text_add_json; numbers to `digits`. */
void congru_json_add(congru_text *text, const congru_json *value, int digits);

#endif
