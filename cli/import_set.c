/* Puts the trials of files into one covariance set. SPDX-License-Identifier: Apache-2.0 */
#include "import_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import_pool.h"
#include "terminal.h"

/* What differs from the first file in a way that an option can mend. */
static int check_alike(const import_file *first, const import_file *file, double first_rate)
{
    double rate = file->epochs->rate;
    if (fabs(rate - first_rate) <= 1e-9 * first_rate)
        return EXIT_DONE;
    return terminal_fail(EXIT_FAILED, "%s: %g Hz, but %s has %g Hz (bring them to one rate: --resample %g)",
                         file->path, rate, first->path, first_rate, rate < first_rate ? rate : first_rate);
}

static int fail_file(congru_context *context, import_file *file, congru_status status)
{
    import_file_check(context, file, status);
    return terminal_fail(EXIT_FAILED, "%s", file->error);
}

static int append(congru_context *context, const import_settings *settings, import_file *file, congru_set **set)
{
    size_t before = *set != NULL ? (*set)->count : 0;
    congru_status status =
        congru_set_append(context, set, file->epochs, file->name.part[NAME_SUBJECT], &settings->set);
    if (status != CONGRU_OK)
        return fail_file(context, file, status);
    status = congru_set_check_rank(context, *set, before, file->epochs);
    return status == CONGRU_OK ? EXIT_DONE : fail_file(context, file, status);
}

/* The place of each class in the order in which the settings name them, so that labels do not depend on which
 * file comes first; classes they do not name follow as they came. */
static void rank_classes(const import_settings *settings, const congru_set *set, int32_t *place)
{
    int32_t next = 0;
    for (size_t i = 0; i < set->classes; i++)
        place[i] = -1;
    for (size_t r = 0; r < settings->rule_count; r++)
        for (size_t e = 0; e < settings->rule[r].event_count; e++)
            for (size_t i = 0; i < set->classes; i++)
                if (place[i] < 0 && strcmp(settings->rule[r].event[e].class_name, set->class_name[i]) == 0)
                    place[i] = next++;
    for (size_t i = 0; i < set->classes; i++)
        if (place[i] < 0)
            place[i] = next++;
}

static int order_classes(const import_settings *settings, congru_set *set)
{
    int32_t *place = calloc(set->classes + 1, sizeof *place);
    char(*name)[CONGRU_LABEL_SIZE] = calloc(set->classes + 1, sizeof *name);
    int code = EXIT_DONE;
    if (place == NULL || name == NULL) {
        code = terminal_fail(EXIT_FAILED, "import: not enough memory for %zu classes", set->classes);
    } else {
        rank_classes(settings, set, place);
        memcpy(name, set->class_name, set->classes * sizeof *name);
        for (size_t i = 0; i < set->classes; i++)
            memcpy(set->class_name[place[i]], name[i], sizeof *name);
        for (size_t i = 0; i < set->count; i++)
            set->label[i] = place[set->label[i]];
    }
    free(name);
    free(place);
    return code;
}

int import_set_build(congru_context *context, const import_settings *settings, import_file *files, size_t count,
                     int jobs, congru_set **set)
{
    import_pool *pool = NULL;
    double first_rate = 0;
    int code = import_pool_start(settings, files, count, jobs, &pool);
    for (size_t i = 0; code == EXIT_DONE && i < count; i++) {
        import_file *file = &files[i];
        terminal_progress(i, count, "files");
        import_pool_wait(pool, i);
        if (file->error[0] != '\0') {
            code = terminal_fail(EXIT_FAILED, "%s", file->error);
            break;
        }
        if (i == 0)
            first_rate = file->epochs->rate;
        code = check_alike(&files[0], file, first_rate);
        if (code == EXIT_DONE)
            code = append(context, settings, file, set);
        congru_epochs_destroy(&file->epochs);
    }
    import_pool_stop(&pool);
    for (size_t i = 0; i < count; i++)
        congru_epochs_destroy(&files[i].epochs);
    terminal_progress_end();
    return code == EXIT_DONE ? order_classes(settings, *set) : code;
}
