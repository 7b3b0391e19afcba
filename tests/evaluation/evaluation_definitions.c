/* Definitions of pipelines that refer to each other, are many, or are named badly. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "congru/congru.h"
#include "context_main.h"
#include "evaluation/pipeline.h"
#include "harness.h"
#include "refusal.h"

static congru_context
    *context; /* that has no definitions: each test that defines some has a context of its own */

static const char one_branch[] = "branch = b\nmethod = ra+ridge\nband = 8:12, 12:20\nwindow = 0:1, 1:2\n";

static congru_context *own_context(void)
{
    congru_context *own = NULL;
    CHECK(congru_context_create(&own, NULL) == CONGRU_OK);
    return own;
}

TEST(branches_are_those_of_pipelines_above)
{
    static const struct {
        const char *text, *error;
    } wrong[] = {
        {"pipeline = a\nbranches = a\n", "w: line 2: branches: there is no such pipeline above"},
        {"pipeline = a\nbranches = b\npipeline = b\nbranches = a\n", "w: line 2: branches: there is no such"},
        {"pipeline = a\nbranches = b\npipeline = b\nbranch = x\nmethod = ra+mdm\n", "w: line 2: branches"},
        {"pipeline = a\nbranch = x\nmethod = ra+mdm\npipeline = b\nbranches = a, b\n", "w: line 5: branches"},
        {"pipeline = a\nbranch = x\nmethod = ra+mdm\npipeline = b\nbranches = a, a, a, a, a, a, a, a, a\n",
         "w: line 5: a pipeline has at most 8 branches"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        congru_pipeline pipeline = {0};
        bool found = true;
        check_error(context, congru_pipeline_define(context, "w", wrong[i].text), CONGRU_ERROR_ARGUMENT,
                    wrong[i].error);
        /* As a model brings them, which nobody has defined: one pipeline is asked for. */
        CHECK(congru_definitions_read(context, "w", wrong[i].text, "b", &pipeline, &found) == CONGRU_OK ||
              !found);
        congru_pipeline_clear(&pipeline);
    }
}

TEST(what_is_copied_is_a_copy)
{
    congru_context *own = own_context();
    congru_pipeline pipeline;
    CHECK(congru_pipeline_define(own, "w",
                                 "pipeline = a\nbranch = x\nmethod = ra+ridge\nband = 8:12, 12:20\nC = 0.5\n"
                                 "pipeline = b\nbranches = a, slow\nbranch = y\nmethod = ra+mdm\nband = 8:30\n"
                                 "pipeline = c\nweight = 3\nbranches = b, a\n") == CONGRU_OK);
    CHECK(congru_pipeline_parse(own, "c", &pipeline) == CONGRU_OK && pipeline.branches == 4);
    CHECK(pipeline.branch[0].blocks == 2 && pipeline.branch[3].blocks == 2 && pipeline.branch[2].blocks == 1);
    CHECK(pipeline.branch[0].block != pipeline.branch[3].block);
    CHECK(pipeline.branch[3].block[1].band[0] == 12 && pipeline.branch[3].weight == 1);
    CHECK(strcmp(pipeline.branch[1].name, "slow") == 0 && strcmp(pipeline.branch[3].name, "x") == 0);
    congru_pipeline_clear(&pipeline);
    congru_context_destroy(&own);
}

/* COUNT pipelines, each of which copies the one before it. */
static char *make_chain(size_t count, const char *first)
{
    const size_t room = count * 64 + strlen(first) + 64;
    char *text = malloc(room);
    size_t at = (size_t)snprintf(text, room, "pipeline = p0\n%s", first);
    for (size_t i = 1; i < count; i++)
        at += (size_t)snprintf(text + at, room - at, "pipeline = p%zu\nbranches = p%zu\n", i, i - 1);
    return text;
}

TEST(nesting_is_limited_by_the_number_of_pipelines)
{
    congru_context *own = own_context();
    congru_pipeline pipeline;
    char *text = make_chain(CONGRU_DEFINITIONS_MAX, one_branch);
    CHECK(congru_pipeline_define(own, "w", text) == CONGRU_OK);
    CHECK(congru_pipeline_parse(own, "p999", &pipeline) == CONGRU_OK);
    CHECK(pipeline.branches == 1 && pipeline.branch[0].blocks == 4);
    congru_pipeline_clear(&pipeline);
    check_error(own, congru_pipeline_define(own, "x", "pipeline = more\nbranches = slow\n"),
                CONGRU_ERROR_ARGUMENT, "x: more than 1000 pipelines in all");
    free(text);
    text = make_chain(CONGRU_DEFINITIONS_MAX + 1, one_branch);
    check_error(context, congru_pipeline_define(context, "w", text), CONGRU_ERROR_ARGUMENT,
                "w: line 2004: more than 1000 pipelines");
    free(text);
    congru_context_destroy(&own);
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* A mebibyte in all: half of it the first pipeline, which every other copies; its branch as large as branches are. */
TEST(time_is_linear)
{
    enum { SIZE = 1 << 20, FIRST = SIZE / 2 };
    static char first[FIRST + 4096];
    congru_context *own = own_context();
    congru_pipeline pipeline;
    size_t at = (size_t)snprintf(first, sizeof first, "%s", one_branch);
    while (at < FIRST)
        at += (size_t)snprintf(first + at, sizeof first - at, "weight = 1.25\n");
    char *text = make_chain(CONGRU_DEFINITIONS_MAX, first);
    const double begin = processor_seconds();
    CHECK(congru_pipeline_define(own, "w", text) == CONGRU_OK);
    CHECK(congru_pipeline_parse(own, "p999", &pipeline) == CONGRU_OK);
    congru_pipeline_clear(&pipeline);
    const double taken = processor_seconds() - begin;
    printf("# %zu bytes, %.3f s\n", strlen(text), taken);
    CHECK(taken < 1);
    free(text);
    congru_context_destroy(&own);
}

TEST(names_are_those_of_folders)
{
    static const struct {
        const char *name, *error;
    } wrong[] = {
        {".", "line 1: a pipeline's name does not begin with a dot"},
        {"..", "line 1: a pipeline's name does not begin with a dot"},
        {".congru-1-1.tmp", "line 1: a pipeline's name does not begin with a dot"},
        {"all", "is not 'all' or 'classical'"},
        {"classical", "is not 'all' or 'classical'"},
        {"a\x1b[31mb", "line 1: a control character, or not UTF-8"},
        {"a\xc2\x9b", "line 1: a control character, or not UTF-8"},
        {"a\xff", "line 1: a control character, or not UTF-8"},
        {"a b", "without blanks, commas, quotes and slashes"},
        {"a/b", "without blanks, commas, quotes and slashes"},
        {"ra+mdm", "there is a pipeline 'ra+mdm' already"},
        {"eegnet", "there is a pipeline 'eegnet' already"},
        {"slow", "there is a pipeline 'slow' already"},
        {"ra+mdm\nbranches = slow\npipeline = mine", "there is a pipeline 'ra+mdm' already"},
        {"mine\nbranches = slow\npipeline = mine", "there is a pipeline 'mine' already"},
    };
    char text[256];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(text, sizeof text, "pipeline = %s\nbranches = motor\n", wrong[i].name);
        check_error(context, congru_pipeline_define(context, "w", text), CONGRU_ERROR_ARGUMENT, wrong[i].error);
    }
    check_error(context,
                congru_pipeline_define(context, "w", "pipeline = a\ntitle = \x1b]0;x\x07\nbranches = slow\n"),
                CONGRU_ERROR_ARGUMENT, "line 2: a control character, or not UTF-8");
    congru_context *own = own_context();
    CHECK(congru_pipeline_define(own, "w", "# \xe9\npipeline = m\xc3\xbc\tx\r\nbranches = slow\r\n") ==
          CONGRU_ERROR_ARGUMENT);
    CHECK(congru_pipeline_define(own, "w", "# \xe9\npipeline = m\xc3\xbc\r\nbranches = slow\r\n") == CONGRU_OK);
    congru_context_destroy(&own);
}

int main(void)
{
    return context_main(&context, NULL);
}
