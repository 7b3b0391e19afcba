/* Reads JSON in place. SPDX-License-Identifier: Apache-2.0 */
#include "report/json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array/source.h"
#include "base/error.h"

enum { BLOCK_NODES = 1024 };

/* Nodes come from blocks, so that they stay where they are. */
typedef struct json_block {
    struct json_block *before;
    size_t used;
    congru_json node[BLOCK_NODES];
} json_block;

struct congru_json_file {
    char *bytes;
    json_block *blocks;
    congru_json *root;
};

typedef struct json_reader {
    congru_context *context;
    const char *path;
    congru_json_file *file;
    char *at;
    int depth;
} json_reader;

static congru_status fail_at(json_reader *r, const char *what)
{
    size_t line = 1;
    for (const char *c = r->file->bytes; c < r->at; c++)
        line += *c == '\n';
    return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s", r->path, line, what);
}

static congru_json *take_node(congru_json_file *file)
{
    if (file->blocks == NULL || file->blocks->used == BLOCK_NODES) {
        json_block *block = malloc(sizeof *block);
        if (block == NULL)
            return NULL;
        block->before = file->blocks;
        block->used = 0;
        file->blocks = block;
    }
    congru_json *node = &file->blocks->node[file->blocks->used++];
    *node = (congru_json){0};
    return node;
}

static void skip_blanks(json_reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool read_hex(const char *at, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                                : 16;
        if (digit == 16)
            return false;
        *code = *code * 16 + digit;
    }
    return true;
}

static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | (code >> 6));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | (code >> 12));
        *to++ = (char)(0x80 | ((code >> 6) & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | (code >> 18));
        *to++ = (char)(0x80 | ((code >> 12) & 0x3f));
        *to++ = (char)(0x80 | ((code >> 6) & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* A \u escape at r->at, past the u; what cannot be a character becomes U+FFFD. A NUL would end the string. */
static bool read_escape(json_reader *r, char **to)
{
    unsigned code, low;
    if (!read_hex(r->at, &code))
        return false;
    r->at += 4;
    if (code >= 0xd800 && code < 0xdc00 && r->at[0] == '\\' && r->at[1] == 'u' && read_hex(r->at + 2, &low) &&
        low >= 0xdc00 && low < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        r->at += 6;
    }
    if (code == 0 || (code >= 0xd800 && code < 0xe000))
        code = 0xfffd;
    *to = put_utf8(*to, code);
    return true;
}

/* A string, made plain where it stands: that never takes more bytes than it had. */
static congru_status read_string(json_reader *r, const char **string)
{
    static const char marks[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char *to = ++r->at;
    *string = to;
    while (*r->at != '"') {
        if ((unsigned char)*r->at < ' ')
            return fail_at(r, "a string that does not end");
        if (*r->at != '\\') {
            *to++ = *r->at++;
            continue;
        }
        r->at++;
        const char *mark = *r->at != '\0' ? strchr(marks, *r->at) : NULL;
        if (mark != NULL) {
            *to++ = meant[mark - marks];
            r->at++;
        } else if (*r->at++ != 'u' || !read_escape(r, &to)) {
            return fail_at(r, "an escape that JSON does not have");
        }
    }
    r->at++;
    *to = '\0';
    return CONGRU_OK;
}

static congru_status read_number(json_reader *r, double *number)
{
    const char *c = r->at + (*r->at == '-');
    size_t digits = strspn(c, "0123456789");
    if (digits == 0 || (digits > 1 && *c == '0'))
        return fail_at(r, "not a JSON value");
    char *end;
    *number = strtod(r->at, &end);
    if (!isfinite(*number))
        return fail_at(r, "a number too large for a double");
    r->at = end;
    return CONGRU_OK;
}

static bool take_word(json_reader *r, const char *word)
{
    if (strncmp(r->at, word, strlen(word)) != 0)
        return false;
    r->at += strlen(word);
    return true;
}

static congru_status read_value(json_reader *r, congru_json *node);

static congru_status read_name(json_reader *r, const char **name)
{
    if (*r->at != '"')
        return fail_at(r, "expected a name in quotes");
    congru_status status = read_string(r, name);
    skip_blanks(r);
    if (status == CONGRU_OK && *r->at++ != ':') {
        r->at--;
        status = fail_at(r, "expected a colon after a name");
    }
    skip_blanks(r);
    return status;
}

static congru_status read_children(json_reader *r, congru_json *node, char end)
{
    congru_json **link = &node->first;
    r->at++;
    skip_blanks(r);
    while (*r->at != end) {
        congru_status status = CONGRU_OK;
        congru_json *child = take_node(r->file);
        if (child == NULL)
            return congru_fail(r->context, CONGRU_ERROR_MEMORY, "%s: not enough memory", r->path);
        if (end == '}')
            status = read_name(r, &child->name);
        if (status == CONGRU_OK)
            status = read_value(r, child);
        if (status != CONGRU_OK)
            return status;
        *link = child;
        link = &child->next;
        node->count++;
        skip_blanks(r);
        if (*r->at != ',' && *r->at != end)
            return fail_at(r, end == ']' ? "expected a comma or ]" : "expected a comma or }");
        if (*r->at == ',') {
            r->at++;
            skip_blanks(r);
            if (*r->at == end)
                return fail_at(r, "nothing after a comma");
        }
    }
    r->at++;
    return CONGRU_OK;
}

static congru_status read_value(json_reader *r, congru_json *node)
{
    congru_status status = CONGRU_OK;
    if (*r->at == '"') {
        node->kind = CONGRU_JSON_STRING;
        status = read_string(r, &node->string);
    } else if (*r->at == '[' || *r->at == '{') {
        node->kind = *r->at == '[' ? CONGRU_JSON_ARRAY : CONGRU_JSON_OBJECT;
        if (++r->depth > CONGRU_JSON_DEPTH_MAX)
            return fail_at(r, "too many levels");
        status = read_children(r, node, *r->at == '[' ? ']' : '}');
        r->depth--;
    } else if (take_word(r, "null")) {
        node->kind = CONGRU_JSON_NULL;
    } else if (take_word(r, "true")) {
        node->kind = CONGRU_JSON_TRUE;
    } else if (take_word(r, "false")) {
        node->kind = CONGRU_JSON_FALSE;
    } else {
        node->kind = CONGRU_JSON_NUMBER;
        status = read_number(r, &node->number);
    }
    return status;
}

/* The bytes of a file, ended by '\0'. */
static congru_status load(congru_context *context, const char *path, char **bytes)
{
    size_t size;
    congru_status status =
        congru_source_text(context, path, CONGRU_JSON_SIZE_MAX, "JSON of a run", bytes, &size);
    if (status == CONGRU_OK && memchr(*bytes, '\0', size) != NULL)
        status = congru_fail(context, CONGRU_ERROR_FORMAT, "%s: holds a NUL byte; not JSON", path);
    return status;
}

congru_status congru_json_read(congru_context *context, const char *path, congru_json_file **file)
{
    congru_json_file *made = calloc(1, sizeof *made);
    *file = made;
    if (made == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
    json_reader reader = {.context = context, .path = path, .file = made};
    congru_status status = load(context, path, &made->bytes);
    if (status == CONGRU_OK && (made->root = take_node(made)) == NULL)
        status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", path);
    if (status == CONGRU_OK) {
        reader.at = made->bytes;
        skip_blanks(&reader);
        status = read_value(&reader, made->root);
        skip_blanks(&reader);
        if (status == CONGRU_OK && *reader.at != '\0')
            status = fail_at(&reader, "something after the end of the value");
    }
    if (status != CONGRU_OK)
        congru_json_destroy(file);
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
    free((*file)->bytes);
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
