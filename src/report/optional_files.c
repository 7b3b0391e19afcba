/* The files a results folder may hold beside its results. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "array/source.h"
#include "base/error.h"
#include "report/report_internal.h"

/* Where a check stands, for messages. */
typedef struct check {
    congru_context *context;
    const char *folder, *file, *list;
    size_t index;
} check;

static congru_status fail_check(const check *at, const char *what)
{
    return congru_fail(at->context, CONGRU_ERROR_FORMAT,
                       "%s/%s: %s[%zu]: %s (docs/report.md says what it holds)", at->folder, at->file, at->list,
                       at->index, what);
}

/* Calls `test` on each member of root.list, which must be an array; missing is well unless needed. */
static congru_status check_list(check *at, const congru_json *root, const char *list, bool needed,
                                congru_status (*test)(const check *at, const congru_json *root,
                                                      const congru_json *item))
{
    const congru_json *array = congru_json_tree_member(root, list);
    if (array == NULL && !needed)
        return CONGRU_OK;
    if (array == NULL || array->kind != CONGRU_JSON_ARRAY)
        return congru_fail(at->context, CONGRU_ERROR_FORMAT,
                           "%s/%s: has no array \"%s\" (docs/report.md says what it holds)", at->folder,
                           at->file, list);
    at->list = list;
    at->index = 0;
    congru_status status = CONGRU_OK;
    for (const congru_json *item = array->first; status == CONGRU_OK && item != NULL; item = item->next) {
        status = test(at, root, item);
        at->index++;
    }
    return status;
}

static bool are_numbers(const congru_json *array, size_t count)
{
    if (congru_json_length(array) != count)
        return false;
    for (const congru_json *item = array->first; item != NULL; item = item->next)
        if (item->kind != CONGRU_JSON_NUMBER)
            return false;
    return true;
}

static congru_status is_number(const check *at, const congru_json *root, const congru_json *item)
{
    (void)root;
    return item->kind == CONGRU_JSON_NUMBER ? CONGRU_OK : fail_check(at, "not a number");
}

static congru_status is_point(const check *at, const congru_json *root, const congru_json *item)
{
    size_t intervals = congru_json_length(congru_json_tree_member(root, "intervals"));
    if (congru_json_tree_string(congru_json_tree_member(item, "subject"), NULL) == NULL ||
        congru_json_tree_string(congru_json_tree_member(item, "label"), NULL) == NULL)
        return fail_check(at, "needs the texts \"subject\" and \"label\"");
    if (!are_numbers(congru_json_tree_member(item, "x"), intervals) ||
        !are_numbers(congru_json_tree_member(item, "y"), intervals))
        return fail_check(at, "needs one number in \"x\" and in \"y\" for each interval");
    return CONGRU_OK;
}

static congru_status is_ellipse(const check *at, const congru_json *root, const congru_json *item)
{
    (void)root;
    const char *stage = congru_json_tree_string(congru_json_tree_member(item, "stage"), "");
    if (stage[0] != 'b' && stage[0] != 'a')
        return fail_check(at, "\"stage\" is \"before\" or \"after\"");
    if (congru_json_tree_string(congru_json_tree_member(item, "class"), NULL) == NULL ||
        !are_numbers(congru_json_tree_member(item, "centre"), 2) ||
        !are_numbers(congru_json_tree_member(item, "axes"), 2) ||
        isnan(congru_json_tree_number(congru_json_tree_member(item, "angle"))))
        return fail_check(at, "needs \"class\", \"centre\" [x, y], \"axes\" [a, b] and \"angle\"");
    return CONGRU_OK;
}

static congru_status check_geometry(check *at, const congru_json *root)
{
    CONGRU_TRY(check_list(at, root, "intervals", false, is_number));
    CONGRU_TRY(check_list(at, root, "points", false, is_point));
    return check_list(at, root, "ellipses", false, is_ellipse);
}

static congru_status is_map(const check *at, const congru_json *root, const congru_json *item)
{
    (void)root;
    const congru_json *channels = congru_json_tree_member(item, "channels");
    if (congru_json_tree_string(congru_json_tree_member(item, "title"), NULL) == NULL ||
        congru_json_length(channels) == 0 ||
        !are_numbers(congru_json_tree_member(item, "values"), congru_json_length(channels)))
        return fail_check(at, "needs \"title\", \"channels\" and one number in \"values\" for each channel");
    for (const congru_json *channel = channels->first; channel != NULL; channel = channel->next)
        if (channel->kind != CONGRU_JSON_STRING)
            return fail_check(at, "\"channels\" are texts");
    return CONGRU_OK;
}

static congru_status check_patterns(check *at, const congru_json *root)
{
    return check_list(at, root, "maps", true, is_map);
}

static congru_status is_row(const check *at, const congru_json *root, const congru_json *item)
{
    (void)root;
    if (congru_json_tree_string(congru_json_tree_member(item, "name"), NULL) == NULL ||
        isnan(congru_json_tree_number(congru_json_tree_member(item, "mean"))))
        return fail_check(at, "needs \"name\" and \"mean\"");
    return CONGRU_OK;
}

static congru_status check_ablation(check *at, const congru_json *root)
{
    return check_list(at, root, "rows", true, is_row);
}

static congru_status is_comparison(const check *at, const congru_json *root, const congru_json *item)
{
    (void)root;
    if (congru_json_tree_string(congru_json_tree_member(item, "a"), NULL) == NULL ||
        congru_json_tree_string(congru_json_tree_member(item, "b"), NULL) == NULL ||
        isnan(congru_json_tree_number(congru_json_tree_member(item, "mean_gain"))))
        return fail_check(at, "needs \"a\", \"b\" and \"mean_gain\"");
    return CONGRU_OK;
}

static congru_status check_statistics(check *at, const congru_json *root)
{
    return check_list(at, root, "comparisons", true, is_comparison);
}

static congru_status check_run(check *at, const congru_json *root)
{
    return root->kind == CONGRU_JSON_OBJECT
               ? CONGRU_OK
               : congru_fail(at->context, CONGRU_ERROR_FORMAT, "%s/run.json: not an object", at->folder);
}

/* patterns.csv, which has a reader of its own. */
static congru_status read_looks(congru_context *context, report_run *run)
{
    bool exists = false;
    congru_text path = {0};
    congru_text_add(&path, "%s/patterns.csv", run->folder);
    congru_status status = path.failed
                               ? congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", run->folder)
                               : congru_source_exists(context, path.data, &exists);
    congru_text_clear(&path);
    return status == CONGRU_OK && exists ? congru_patterns_read(context, run->folder, &run->looks) : status;
}

congru_status congru_report_optional(congru_context *context, report_run *run)
{
    const struct {
        const char *name;
        congru_json_file **file;
        congru_status (*check)(check *at, const congru_json *root);
    } files[] = {{"run.json", &run->run, check_run},
                 {"geometry.json", &run->geometry, check_geometry},
                 {"patterns.json", &run->patterns, check_patterns},
                 {"ablation.json", &run->ablation, check_ablation},
                 {"statistics.json", &run->statistics, check_statistics}};
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < sizeof files / sizeof files[0]; i++) {
        bool exists = false;
        congru_text path = {0};
        congru_text_add(&path, "%s/%s", run->folder, files[i].name);
        check at = {.context = context, .folder = run->folder, .file = files[i].name};
        if (path.failed)
            status = congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory", run->folder);
        else
            status = congru_source_exists(context, path.data, &exists);
        if (status == CONGRU_OK && exists)
            status = congru_json_read(context, path.data, files[i].file);
        if (status == CONGRU_OK && *files[i].file != NULL)
            status = files[i].check(&at, congru_json_root(*files[i].file));
        congru_text_clear(&path);
    }
    return status == CONGRU_OK ? read_looks(context, run) : status;
}
