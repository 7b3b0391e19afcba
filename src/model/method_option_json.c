/* Options of methods written to JSON and read from it. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "model/method_options.h"

/* ---- Writing --------------------------------------------------------------------------------------------- */

static void add_value(congru_text *text, const congru_method_option *row, const char *value)
{
    switch (row->kind) {
    case CONGRU_OPTION_SWITCH:
        congru_text_add(text, strcmp(value, "on") == 0 ? "true" : "false");
        break;
    case CONGRU_OPTION_WIDTHS:
        congru_text_add(text, "[");
        for (; *value != '\0'; value++)
            congru_text_add(text, "%c%s", *value, *value == ',' ? " " : "");
        congru_text_add(text, "]");
        break;
    case CONGRU_OPTION_CHOICE:
    case CONGRU_OPTION_RECIPE:
    case CONGRU_OPTION_RANGE:
    case CONGRU_OPTION_CHOOSE:
        congru_text_add_json(text, value);
        break;
    case CONGRU_OPTION_NUMBER_OR_AUTO:
    case CONGRU_OPTION_INTEGER:
    case CONGRU_OPTION_NUMBER:
        if (strcmp(value, "auto") == 0 || strcmp(value, "own") == 0)
            congru_text_add_json(text, value);
        else
            congru_text_add(text, "%s", value);
        break;
    case CONGRU_OPTION_SEED:
        congru_text_add(text, "%s", value);
        break;
    case CONGRU_OPTION_SHORTHAND:
        break;
    }
}

void congru_method_options_write(const congru_method_options *options, bool idle, congru_text *text)
{
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_method_option_at(i)) != NULL; i++) {
        char value[CONGRU_OPTION_TEXT_SIZE];
        if (row->kind == CONGRU_OPTION_SHORTHAND || row->idle != idle)
            continue;
        const bool printed = congru_method_option_print(row, options, value);
        text->failed = text->failed || !printed;
        if (!printed || (row->quiet && strcmp(value, row->standard) == 0))
            continue;
        congru_text_add(text, ",\n  \"%s\": ", row->option.name);
        add_value(text, row, value);
    }
}

/* ---- Reading --------------------------------------------------------------------------------------------- */

/* The bytes of the next value as they stand; false for more than fit. */
static bool read_plain(congru_scan *json, char text[CONGRU_OPTION_TEXT_SIZE])
{
    congru_scan_peek(json);
    const char *begin = json->at;
    if (!congru_scan_skip(json) || json->at - begin >= CONGRU_OPTION_TEXT_SIZE)
        return false;
    snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%.*s", (int)(json->at - begin), begin);
    return true;
}

static bool read_list(congru_scan *json, char text[CONGRU_OPTION_TEXT_SIZE])
{
    size_t used = 0;
    text[0] = '\0';
    for (bool first = congru_scan_array(json), any = false; congru_scan_element(json, &first); any = true) {
        char word[CONGRU_OPTION_TEXT_SIZE];
        if (!read_plain(json, word) || used + strlen(word) + 2 > CONGRU_OPTION_TEXT_SIZE)
            return false;
        used += (size_t)snprintf(text + used, CONGRU_OPTION_TEXT_SIZE - used, "%s%s", any ? "," : "", word);
    }
    return !json->failed;
}

/* Any value of an option as the text that stands for it. */
static bool read_text(congru_scan *json, char text[CONGRU_OPTION_TEXT_SIZE])
{
    bool state;
    switch (congru_scan_peek(json)) {
    case '"':
        return congru_scan_string(json, text, CONGRU_OPTION_TEXT_SIZE);
    case '[':
        return read_list(json, text);
    case 't':
    case 'f':
        if (!congru_scan_boolean(json, &state))
            return false;
        strcpy(text, state ? "on" : "off");
        return true;
    default:
        return read_plain(json, text);
    }
}

bool congru_method_options_read(congru_scan *json, const char *key, congru_method_options *options,
                                const congru_method_option **row)
{
    char text[CONGRU_OPTION_TEXT_SIZE], error[CONGRU_VALUE_ERROR_SIZE];
    *row = congru_method_option_find(key);
    if (*row == NULL || (*row)->kind == CONGRU_OPTION_SHORTHAND) {
        *row = NULL;
        return congru_scan_skip(json);
    }
    if (!read_text(json, text))
        return false;
    if ((*row)->own && strcmp(text, "-1") == 0) /* what CONGRU_OWN was before it had a word */
        strcpy(text, "own");
    return congru_method_option_parse(*row, key, text, options, error);
}
