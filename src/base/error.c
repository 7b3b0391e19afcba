/* Error texts and notes. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mapped_memory.h"
#include "base/memory.h"
#include "base/number_text.h"

/* Two paths of the longest kind with what is said of them; and what is kept at each end, so that there is room for
 * words that a caller puts before it. */
enum { LONG_TEXT_SIZE = 16384, END_SIZE = 440 };

static bool is_inside_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Copies a text of any length; of one that is too long the middle is left out, since the end has the reason. */
static void keep_ends(const char *text, char error[CONGRU_ERROR_TEXT_SIZE])
{
    const size_t size = strlen(text);
    size_t head = size, tail = size;
    if (size >= CONGRU_ERROR_TEXT_SIZE) {
        head = END_SIZE;
        tail = size - END_SIZE;
        while (is_inside_character(text[head]) && head > 0)
            head--;
        while (is_inside_character(text[tail]))
            tail++;
    }
    snprintf(error, CONGRU_ERROR_TEXT_SIZE, "%.*s%s%s", (int)head, text, head < size ? "..." : "", text + tail);
}

static congru_status fail_list(congru_context *context, congru_status status, const char *before,
                               const char *format, va_list arguments)
{
    if (context == NULL)
        return status;
    char text[LONG_TEXT_SIZE];
    const size_t begin = strlen(before);
    memcpy(text, before, begin);
    congru_format_list(text + begin, sizeof text - begin, format, arguments);
    keep_ends(text, context->error);
    const char *reason = status == CONGRU_ERROR_MEMORY ? congru_mapped_reason() : "";
    size_t size = strlen(context->error);
    if (reason[0] != '\0')
        snprintf(context->error + size, sizeof context->error - size, ": %s", reason);
    return status;
}

congru_status congru_fail(congru_context *context, congru_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail_list(context, status, "", format, arguments);
    va_end(arguments);
    return status;
}

static const char no_memory[] = "not enough memory for ";

congru_status congru_fail_memory(congru_context *context, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    fail_list(context, CONGRU_ERROR_MEMORY, no_memory, what, arguments);
    va_end(arguments);
    return CONGRU_ERROR_MEMORY;
}

congru_status congru_allocate(congru_context *context, void *pointer, size_t count, size_t size,
                              const char *what, ...)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    memcpy(pointer, &memory, sizeof memory); /* whatever it points to */
    if (memory != NULL)
        return CONGRU_OK;
    va_list arguments;
    va_start(arguments, what);
    fail_list(context, CONGRU_ERROR_MEMORY, no_memory, what, arguments);
    va_end(arguments);
    return CONGRU_ERROR_MEMORY;
}

congru_status congru_take(congru_context *context, void *pointer, size_t count, size_t size, const char *what,
                          ...)
{
    size_t bytes;
    void *memory = NULL;
    if (!__builtin_mul_overflow(count > 0 ? count : 1, size, &bytes))
        memory = congru_memory_take(bytes);
    memcpy(pointer, &memory, sizeof memory);
    if (memory != NULL)
        return CONGRU_OK;
    va_list arguments;
    va_start(arguments, what);
    fail_list(context, CONGRU_ERROR_MEMORY, no_memory, what, arguments);
    va_end(arguments);
    return CONGRU_ERROR_MEMORY;
}

congru_status congru_grow(congru_context *context, void *pointer, size_t *room, size_t count, size_t size,
                          const char *what)
{
    if (count <= *room)
        return CONGRU_OK;
    const size_t doubled = *room > SIZE_MAX / 2 ? SIZE_MAX : 2 * *room;
    const size_t least = count > 16 ? count : 16, wanted = doubled > least ? doubled : least;
    size_t bytes;
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    if (__builtin_mul_overflow(wanted, size, &bytes) || (memory = realloc(memory, bytes)) == NULL)
        return congru_fail_memory(context, "%s", what);
    memcpy(pointer, &memory, sizeof memory);
    *room = wanted;
    return CONGRU_OK;
}

congru_status congru_fail_more(congru_context *context, congru_status status, const char *what)
{
    return congru_fail(context, status, "%s (%s)", congru_context_error(context), what);
}

congru_status congru_check_argument(congru_context *context, bool valid, const char *what)
{
    if (context == NULL)
        return CONGRU_ERROR_ARGUMENT;
    context->error[0] = '\0';
    return valid ? CONGRU_OK : congru_fail(context, CONGRU_ERROR_ARGUMENT, "%s", what);
}

/* Leaves room for elements of 128 bytes, which is what arrays of structs beside it have. */
static const size_t count_max = PTRDIFF_MAX / 128;

bool congru_too_many(size_t rows, size_t columns)
{
    size_t count;
    return __builtin_mul_overflow(rows, columns, &count) || count > count_max;
}

congru_status congru_check_count(congru_context *context, size_t rows, size_t columns)
{
    return congru_too_many(rows, columns)
               ? congru_fail(context, CONGRU_ERROR_ARGUMENT, "%zu x %zu numbers are more than memory can hold",
                             rows, columns)
               : CONGRU_OK;
}

const char *congru_context_error(const congru_context *context)
{
    return context != NULL ? context->error : "";
}

void congru_note(congru_context *context, const char *format, ...)
{
    if (context == NULL || context->notes == CONGRU_NOTES_MAX)
        return;
    char *text = context->note[context->notes];
    va_list arguments;
    va_start(arguments, format);
    congru_format_list(text, CONGRU_NOTE_SIZE, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < context->notes; i++)
        if (strcmp(context->note[i], text) == 0)
            return;
    context->notes++;
}

const char *congru_context_note(const congru_context *context, size_t index)
{
    return context != NULL && index < context->notes ? context->note[index] : NULL;
}
