/* What tests of results folders run, and what is in their files. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include "run_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "scratch.h"

const set_recipe small = {
    .subjects = 3, .classes = 2, .per_class = 6, .d = 3, .sessions = 1, .effect = 0.8, .seed = 1};

congru_evaluation_options options_for(const char *const *pipelines, size_t count, const char *folder)
{
    congru_evaluation_options options;
    congru_evaluation_options_init(&options);
    options.pipelines = pipelines;
    options.pipeline_count = count;
    options.folder = folder;
    options.dataset = "=made, \"up\"";
    return options;
}

const char *const two[] = {"ra+mdm", "none+mdm"};

char *file_text(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    if (file == NULL || text == NULL)
        abort();
    text[fread(text, 1, (1 << 20) - 1, file)] = '\0';
    fclose(file);
    return text;
}

void expect_refusal(congru_context *context, const congru_set *set, const congru_evaluation_options *options,
                    const char *words)
{
    congru_results *results = NULL;
    congru_status status = congru_evaluate(context, set, options, &results);
    CHECK_SAYING(status != CONGRU_OK && results == NULL, "not refused: %s", words);
    CHECK_SAYING(strstr(congru_context_error(context), words) != NULL, "no '%s' in: %s", words,
                 congru_context_error(context));
    congru_results_destroy(&results);
}

bool is_there(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

void remove_in(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove_folder(path);
    CHECK(!is_there(folder, name));
}
