/* Makes trees of what the reader of JSON gives. SPDX-License-Identifier: Apache-2.0 */
#include "report/json_tree.h"

#include <math.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/json_scan.h"

enum { BLOCK_BYTES = 1 << 16, FEW_MEMBERS = 16 };

/* Nodes and strings come from blocks, so that they stay where they are. */
typedef struct json_block {
    struct json_block *before;
    size_t used, room;
    alignas(max_align_t) char bytes[];
} json_block;

struct congru_json_file {
    json_block *blocks;
    congru_json *root;
};

typedef struct json_reader {
    congru_context *context;
    const char *name, *bytes;
    congru_json_file *file;
    congru_scan scan;
    congru_text text; /* the string being read */
    size_t values;
} json_reader;

static congru_status fail_here(const json_reader *r, const char *what)
{
    size_t line = 1;
    for (const char *c = r->bytes; c < r->scan.at; c++)
        line += *c == '\n';
    return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s", r->name, line, what);
}

/* What the scan says, where it does. */
static congru_status outcome(const json_reader *r)
{
    return r->scan.failed ? fail_here(r, r->scan.wrong) : CONGRU_OK;
}

static congru_status fail_memory(const json_reader *r)
{
    return congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", r->name);
}

static void *take_bytes(congru_json_file *file, size_t size)
{
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (file->blocks == NULL || file->blocks->room - file->blocks->used < size) {
        const size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
        json_block *block = malloc(sizeof *block + room);
        if (block == NULL)
            return NULL;
        *block = (json_block){.before = file->blocks, .room = room};
        file->blocks = block;
    }
    void *taken = file->blocks->bytes + file->blocks->used;
    file->blocks->used += size;
    return taken;
}

/* NULL with the reason in *status. */
static congru_json *take_node(json_reader *r, congru_status *status)
{
    congru_json *node = NULL;
    if (r->values++ == CONGRU_JSON_VALUES_MAX)
        *status = fail_here(r, "too many values");
    else if ((node = take_bytes(r->file, sizeof *node)) == NULL)
        *status = fail_memory(r);
    else
        *node = (congru_json){0};
    return node;
}

/* A copy of the text that was read, which is empty again. */
static congru_status keep_text(json_reader *r, const char **string)
{
    char *copy = r->text.failed ? NULL : take_bytes(r->file, r->text.size + 1);
    if (copy == NULL)
        return fail_memory(r);
    memcpy(copy, r->text.data, r->text.size + 1);
    r->text.size = 0;
    *string = copy;
    return CONGRU_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Two readers of an object with a name twice may not see the same: there is none here. */
static congru_status check_names(const json_reader *r, const congru_json *object)
{
    const char *few[FEW_MEMBERS], **names = few;
    size_t count = 0;
    bool twice = false;
    if (object->count > FEW_MEMBERS && (names = malloc(object->count * sizeof *names)) == NULL)
        return fail_memory(r);
    for (const congru_json *child = object->first; child != NULL; child = child->next)
        names[count++] = child->name;
    if (count > 1)
        qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++)
        twice = twice || strcmp(names[i - 1], names[i]) == 0;
    if (names != few)
        free(names);
    return twice ? fail_here(r, "an object with the same name twice") : CONGRU_OK;
}

static congru_status read_value(json_reader *r, congru_json *node);

static congru_status read_children(json_reader *r, congru_json *node)
{
    const bool object = node->kind == CONGRU_JSON_OBJECT;
    congru_json **link = &node->first;
    bool first = object ? congru_scan_object(&r->scan) : congru_scan_array(&r->scan);
    congru_status status = CONGRU_OK;
    while (status == CONGRU_OK && (object ? congru_scan_member_add(&r->scan, &first, &r->text)
                                          : congru_scan_element(&r->scan, &first))) {
        congru_json *child = take_node(r, &status);
        if (child != NULL && object)
            status = keep_text(r, &child->name);
        if (child != NULL && status == CONGRU_OK)
            status = read_value(r, child);
        if (child != NULL && status == CONGRU_OK) {
            *link = child;
            link = &child->next;
            node->count++;
        }
    }
    if (status == CONGRU_OK)
        status = outcome(r);
    return status == CONGRU_OK && object ? check_names(r, node) : status;
}

/* No deeper than the scan lets it be. */
static congru_status read_value(json_reader *r, congru_json *node)
{
    bool state = false;
    switch (congru_scan_peek(&r->scan)) {
    case '{':
        node->kind = CONGRU_JSON_OBJECT;
        return read_children(r, node);
    case '[':
        node->kind = CONGRU_JSON_ARRAY;
        return read_children(r, node);
    case '"':
        node->kind = CONGRU_JSON_STRING;
        return congru_scan_string_add(&r->scan, &r->text) ? keep_text(r, &node->string) : outcome(r);
    case 'n':
        node->kind = CONGRU_JSON_NULL;
        congru_scan_null(&r->scan);
        return outcome(r);
    case 't':
    case 'f':
        congru_scan_boolean(&r->scan, &state);
        node->kind = state ? CONGRU_JSON_TRUE : CONGRU_JSON_FALSE;
        return outcome(r);
    default:
        node->kind = CONGRU_JSON_NUMBER;
        congru_scan_number(&r->scan, &node->number);
        return outcome(r);
    }
}

congru_status congru_json_parse(congru_context *context, const char *name, const char *bytes, size_t size,
                                congru_json_file **file)
{
    json_reader r = {.context = context, .name = name, .bytes = bytes, .scan = congru_scan_start(bytes, size)};
    r.scan.lenient = true;
    r.file = *file = calloc(1, sizeof **file);
    if (r.file == NULL)
        return fail_memory(&r);
    congru_status status = CONGRU_OK;
    r.file->root = take_node(&r, &status);
    if (r.file->root != NULL)
        status = read_value(&r, r.file->root);
    if (status == CONGRU_OK && !congru_scan_end(&r.scan))
        status = outcome(&r);
    congru_text_clear(&r.text);
    if (status != CONGRU_OK)
        congru_json_destroy(file);
    return status;
}

congru_status congru_json_read(congru_context *context, const char *path, congru_json_file **file)
{
    congru_source source;
    char *bytes = NULL;
    *file = NULL;
    congru_status status = congru_source_open(context, path, &source);
    if (status != CONGRU_OK)
        return status;
    if (source.size > CONGRU_JSON_SIZE_MAX)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: too large a file, %llu bytes", path,
                             (unsigned long long)source.size);
    else if ((bytes = malloc((size_t)source.size + 1)) == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
    else
        status = congru_source_read(context, &source, 0, (size_t)source.size, bytes);
    if (status == CONGRU_OK)
        status = congru_source_check(context, &source);
    if (status == CONGRU_OK)
        status = congru_json_parse(context, path, bytes, (size_t)source.size, file);
    free(bytes);
    congru_source_close(&source);
    return status;
}

void congru_json_destroy(congru_json_file **file)
{
    if (*file == NULL)
        return;
    while ((*file)->blocks != NULL) {
        json_block *dying = (*file)->blocks;
        (*file)->blocks = dying->before;
        free(dying);
    }
    free(*file);
    *file = NULL;
}

const congru_json *congru_json_root(const congru_json_file *file)
{
    return file != NULL ? file->root : NULL;
}

const congru_json *congru_json_tree_member(const congru_json *object, const char *name)
{
    if (object == NULL || object->kind != CONGRU_JSON_OBJECT)
        return NULL;
    for (const congru_json *child = object->first; child != NULL; child = child->next)
        if (strcmp(child->name, name) == 0)
            return child;
    return NULL;
}

const char *congru_json_tree_string(const congru_json *value, const char *fallback)
{
    return value != NULL && value->kind == CONGRU_JSON_STRING ? value->string : fallback;
}

double congru_json_tree_number(const congru_json *value)
{
    return value != NULL && value->kind == CONGRU_JSON_NUMBER ? value->number : NAN;
}

size_t congru_json_length(const congru_json *value)
{
    return value != NULL && value->kind == CONGRU_JSON_ARRAY ? value->count : 0;
}

void congru_json_add(congru_text *text, const congru_json *value, int digits)
{
    static const char *const words[] = {"null", "false", "true"};
    if (value == NULL || value->kind <= CONGRU_JSON_TRUE) {
        congru_text_add(text, "%s", words[value != NULL ? value->kind : CONGRU_JSON_NULL]);
    } else if (value->kind == CONGRU_JSON_NUMBER) {
        congru_text_add(text, "%.*g", digits, value->number);
    } else if (value->kind == CONGRU_JSON_STRING) {
        congru_text_add_json(text, value->string);
    } else {
        congru_text_add(text, value->kind == CONGRU_JSON_ARRAY ? "[" : "{");
        for (const congru_json *child = value->first; child != NULL; child = child->next) {
            if (child != value->first)
                congru_text_add(text, ",");
            if (child->name != NULL) {
                congru_text_add_json(text, child->name);
                congru_text_add(text, ":");
            }
            congru_json_add(text, child, digits);
        }
        congru_text_add(text, value->kind == CONGRU_JSON_ARRAY ? "]" : "}");
    }
}
