/* Bytes for the reader of JSON and the trees made of it: a libFuzzer target. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "congru/context.h"
#include "report/json_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The text of a tree of the bytes; NULL when they are refused. */
static char *write_again(congru_context *context, const char *bytes, size_t size)
{
    congru_json_file *file;
    congru_text text = {0};
    if (congru_json_parse(context, "fuzz", bytes, size, &file) == CONGRU_OK)
        congru_json_add(&text, congru_json_root(file), 17);
    else if (file != NULL)
        abort();
    congru_json_destroy(&file);
    return text.data;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static congru_context *context;
    if (context == NULL &&
        congru_context_create(&context, &(congru_context_options){.threads = 1}) != CONGRU_OK)
        abort();
    congru_scan strict = congru_scan_start((const char *)bytes, size), lenient = strict;
    lenient.lenient = true;
    const bool taken = congru_scan_skip(&strict) && congru_scan_end(&strict);
    const bool leniently = congru_scan_skip(&lenient) && congru_scan_end(&lenient);
    char *first = write_again(context, (const char *)bytes, size);
    /* The strict take less than the lenient, and trees no more than these. */
    if ((taken && !leniently) || (first != NULL && !leniently))
        abort();
    /* What was written is JSON, and the same when it is read and written again. */
    if (first != NULL) {
        char *second = write_again(context, first, strlen(first));
        congru_scan written = congru_scan_start(first, strlen(first));
        if (second == NULL || strcmp(first, second) != 0 || !congru_scan_skip(&written))
            abort();
        free(second);
    }
    free(first);
    return 0;
}
