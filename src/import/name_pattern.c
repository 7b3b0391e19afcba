/* Matches file names against patterns with places for a subject. SPDX-License-Identifier: Apache-2.0 */
#include "import/name_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES_MAX = 128, TEXT_MAX = 1024 };

static const char *const field_names[NAME_FIELDS] = {"subject", "session", "run"};

/* A letter to be found as it is, a run of anything, or a place. */
typedef struct piece {
    enum { PIECE_LETTER, PIECE_ANYTHING, PIECE_FIELD } kind;
    char letter;
    name_field field;
    size_t length; /* of a place; 0: any from 1 on */
} piece;

/* Where a match is tried. `failed` remembers what did not fit, so that no way is tried twice. */
typedef struct matcher {
    piece pieces[PIECES_MAX];
    size_t count;
    const char *text;
    size_t size;
    size_t begin[NAME_FIELDS], end[NAME_FIELDS];
    unsigned char failed[PIECES_MAX + 1][TEXT_MAX / 8 + 1];
} matcher;

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Reads a place behind its opening brace. Returns what follows the closing one, or NULL. */
static const char *parse_field(const char *text, piece *found)
{
    found->kind = PIECE_FIELD;
    for (int i = 0; i < NAME_FIELDS; i++) {
        size_t size = strlen(field_names[i]);
        if (strncmp(text, field_names[i], size) != 0 || (text[size] != '}' && text[size] != ':'))
            continue;
        found->field = (name_field)i;
        text += size;
        if (*text == ':') {
            char *end;
            if (!is_digit(text[1]))
                return NULL;
            found->length = strtoul(text + 1, &end, 10);
            if (found->length == 0 || found->length >= NAME_SIZE)
                return NULL;
            text = end;
        }
        return *text == '}' ? text + 1 : NULL;
    }
    return NULL;
}

/* The pieces of a pattern; false when it cannot be read. */
static bool parse(const char *pattern, matcher *m)
{
    m->count = 0;
    bool seen[NAME_FIELDS] = {false};
    while (*pattern != '\0') {
        if (m->count == PIECES_MAX)
            return false;
        piece *next = &m->pieces[m->count++];
        *next = (piece){.kind = PIECE_LETTER, .letter = *pattern};
        if (*pattern == '{') {
            pattern = parse_field(pattern + 1, next);
            if (pattern == NULL || seen[next->field])
                return false;
            seen[next->field] = true;
            continue;
        }
        if (*pattern == '*')
            next->kind = PIECE_ANYTHING;
        pattern++;
    }
    return true;
}

bool congru_name_pattern_check(const char *where, const char *pattern, name_field needed,
                               char error[CONGRU_VALUE_ERROR_SIZE])
{
    matcher m;
    if (!parse(pattern, &m)) {
        snprintf(error, CONGRU_VALUE_ERROR_SIZE,
                 "%s: cannot read '%s' (its places are {subject}, {session}, {run}, each at most once; "
                 "{subject:2} takes two characters)",
                 where, pattern);
        return false;
    }
    for (size_t i = 0; i < m.count; i++)
        if (m.pieces[i].kind == PIECE_FIELD && m.pieces[i].field == needed)
            return true;
    snprintf(error, CONGRU_VALUE_ERROR_SIZE, "%s: '%s' has no {%s}", where, pattern, field_names[needed]);
    return false;
}

/* How many characters from `at` on the place could take at most: names do not go past a folder. */
static size_t longest(const matcher *m, const piece *place, size_t at)
{
    size_t most = 0;
    while (at + most < m->size && most + 1 < NAME_SIZE && m->text[at + most] != '/' &&
           (place->kind != PIECE_FIELD || place->field != NAME_RUN || is_digit(m->text[at + most])))
        most++;
    return most;
}

/* Whether the pieces from `next` on fit the text from `at` on. As deep as there are pieces. */
static bool fits(matcher *m, size_t next, size_t at)
{
    if (next == m->count)
        return at == m->size;
    if (m->failed[next][at / 8] >> at % 8 & 1)
        return false;
    const piece *p = &m->pieces[next];
    if (p->kind == PIECE_LETTER) {
        if (at < m->size && m->text[at] == p->letter && fits(m, next + 1, at + 1))
            return true;
    } else {
        size_t most = longest(m, p, at), least = p->kind == PIECE_FIELD;
        if (p->length > 0) {
            least = p->length;
            most = most < p->length ? most : p->length;
        }
        for (size_t taken = most + 1; taken-- > least;) {
            if (!fits(m, next + 1, at + taken))
                continue;
            if (p->kind == PIECE_FIELD) {
                m->begin[p->field] = at;
                m->end[p->field] = at + taken;
            }
            return true;
        }
    }
    m->failed[next][at / 8] |= (unsigned char)(1u << at % 8);
    return false;
}

/* The end of the path with as many slashes as the pattern has. */
static const char *tail(const char *path, const char *pattern)
{
    size_t slashes = 0;
    for (; *pattern != '\0'; pattern++)
        slashes += *pattern == '/';
    const char *at = path + strlen(path);
    while (at > path && (at[-1] != '/' || slashes-- > 0))
        at--;
    return at;
}

static size_t size_without_extension(const char *text)
{
    const char *slash = strrchr(text, '/');
    const char *base = slash != NULL ? slash + 1 : text, *dot = strrchr(base, '.');
    return dot != NULL && dot > base ? (size_t)(dot - text) : strlen(text);
}

bool congru_name_pattern_match(const char *pattern, const char *path, name_parts *parts)
{
    matcher m = {.text = tail(path, pattern)};
    m.size = size_without_extension(m.text);
    bool found = m.size < TEXT_MAX && parse(pattern, &m) && fits(&m, 0, 0);
    for (int i = 0; found && i < NAME_FIELDS; i++)
        if (m.end[i] > 0)
            snprintf(parts->part[i], NAME_SIZE, "%.*s", (int)(m.end[i] - m.begin[i]), m.text + m.begin[i]);
    return found;
}

size_t congru_name_pattern_compared(const char *pattern, const char *path, char *compared, size_t size)
{
    const char *text = tail(path, pattern);
    size_t folders = 0;
    snprintf(compared, size, "%.*s", (int)size_without_extension(text), text);
    for (const char *c = compared; *c != '\0'; c++)
        folders += *c == '/';
    return folders;
}

void congru_name_pattern_base(const char *path, char base[NAME_SIZE])
{
    const char *name = tail(path, "");
    snprintf(base, NAME_SIZE, "%.*s", (int)size_without_extension(name), name);
}
