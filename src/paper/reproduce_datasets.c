/* Experiment datasets: what the paper says of its sets, and what a given set has. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "paper/paper_printed.h"
#include "paper/paper_sets.h"
#include "paper/paper_tables.h"
#include "paper/reproduce.h"

enum { CELL_SIZE = 256 };

/* Fewest and most: "1", "120 to 160". */
typedef struct range {
    size_t least, most;
} range;

static void widen(range *all, size_t count)
{
    all->least = count < all->least ? count : all->least;
    all->most = count > all->most ? count : all->most;
}

static void describe(range of, char text[CELL_SIZE])
{
    snprintf(text, CELL_SIZE, of.least == of.most ? "%zu" : "%zu to %zu", of.least, of.most);
}

/* What a given set has of a feature of the table of datasets, table 9; "" where it cannot have it. */
typedef void (*feature_of)(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE]);

static void count_subjects(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    (void)job;
    snprintf(text, CELL_SIZE, "%zu", set->subjects);
}

static void count_classes(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    (void)job;
    snprintf(text, CELL_SIZE, "%zu", set->classes);
}

static void name_classes(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    size_t used = 0;
    (void)job;
    for (size_t k = 0; k < set->classes && used < CELL_SIZE; k++)
        used += (size_t)snprintf(text + used, CELL_SIZE - used, "%s%s", k > 0 ? "; " : "", set->class_name[k]);
}

static void count_channels(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    (void)job;
    snprintf(text, CELL_SIZE, "%zu", set->dimension);
}

static int compare_owners(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Sessions of a subject, and trials of a session. */
static bool count_both(const congru_set *set, range *sessions, range *trials)
{
    int32_t(*owner)[2] = calloc(set->count + 1, sizeof *owner); /* subject and session of each trial */
    size_t own_sessions = 0, own_trials = 0;
    *sessions = *trials = (range){SIZE_MAX, 0};
    if (owner == NULL)
        return false;
    for (size_t i = 0; i < set->count; i++) {
        owner[i][0] = set->subject[i];
        owner[i][1] = set->session[i];
    }
    qsort(owner, set->count, sizeof *owner, compare_owners);
    for (size_t i = 0; i < set->count; i++) {
        const bool last = i + 1 == set->count, next_subject = last || owner[i + 1][0] != owner[i][0];
        own_trials++;
        if (!next_subject && owner[i + 1][1] == owner[i][1])
            continue;
        widen(trials, own_trials);
        own_trials = 0;
        own_sessions++;
        if (!next_subject)
            continue;
        widen(sessions, own_sessions);
        own_sessions = 0;
    }
    free(owner);
    return set->count > 0;
}

static void count_sessions(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    range sessions, trials;
    (void)job;
    if (count_both(set, &sessions, &trials))
        describe(sessions, text);
}

static void count_trials(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    range sessions, trials;
    (void)job;
    if (count_both(set, &sessions, &trials))
        describe(trials, text);
}

static void count_subject_trials(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    range all;
    (void)job;
    congru_paper_count_trials(set, &all.least, &all.most);
    describe(all, text);
}

/* Seconds of a trial: of its samples, else of the window that its covariances are of; 0 when unknown. */
static double seconds_of(const congru_paper_job *job, const congru_set *set)
{
    congru_preprocessing p;
    double seconds = set->rate > 0 && set->samples > 0 ? (double)set->samples / set->rate : 0;
    if (seconds > 0 || congru_set_preprocessing(job->context, set, &p) != CONGRU_OK)
        return seconds;
    seconds = p.window[1] - p.window[0];
    congru_preprocessing_clear(&p);
    return seconds;
}

static void describe_duration(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    const double seconds = seconds_of(job, set);
    text[0] = '\0';
    if (seconds > 0)
        congru_format(text, CELL_SIZE, "%g s", seconds);
}

static void describe_rate(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    (void)job;
    text[0] = '\0';
    if (set->rate > 0)
        congru_format(text, CELL_SIZE, "%g Hz", set->rate);
}

static void count_samples(const congru_paper_job *job, const congru_set *set, char text[CELL_SIZE])
{
    const double samples = set->samples > 0 ? (double)set->samples : seconds_of(job, set) * set->rate;
    text[0] = '\0';
    if (samples > 0)
        congru_format(text, CELL_SIZE, "%.0f", samples);
}

/* The rows of the datasets' table 9 by its own names, and one of ours; challenges are no numbers. */
static const struct {
    const char *name;
    feature_of ours;
} features[] = {
    {"Subjects", count_subjects},
    {"MI classes", count_classes},
    {"MI actions", name_classes},
    {"EEG channels", count_channels},
    {"Sessions / runs", count_sessions},
    {"Trials / session", count_trials},
    {"Trials / subject", count_subject_trials},
    {"Trial duration", describe_duration},
    {"Sampling rate", describe_rate},
    {"Samples / trial", count_samples},
    {"Challenges", NULL},
};
enum { FEATURES = sizeof features / sizeof features[0] };

/* "Trials / subject" is not in the table: numbers of which the accuracies of subjects in table 21 are whole parts. */
static void add_printed(congru_table *table, const char *dataset, const char *feature)
{
    congru_paper_row row;
    congru_paper_facts facts;
    const char *printed = congru_paper_field("datasets-printed", "printed", dataset, feature, &row);
    char text[CELL_SIZE] = "";
    if (printed[0] == '\0' && strcmp(feature, "Trials / subject") == 0 &&
        congru_paper_facts_read(dataset, &facts)) {
        describe((range){facts.trials_least, facts.trials_most}, text);
        congru_table_format_text(table, "%s, by subjects of table 21", text);
    } else {
        congru_table_text(table, printed[0] != '\0' ? printed : "-");
    }
}

static congru_status show(const congru_paper_job *job, const char *dataset, const char *name,
                          const congru_set *set)
{
    congru_table table = {0};
    congru_table_headings(&table, set != NULL ? 3 : 2, (const char *const[]){name, "paper", "ours"});
    for (size_t i = 0; i < FEATURES; i++) {
        char text[CELL_SIZE] = "";
        congru_table_text(&table, features[i].name);
        add_printed(&table, dataset, features[i].name);
        if (set == NULL)
            continue;
        if (features[i].ours != NULL)
            features[i].ours(job, set, text);
        congru_table_text(&table, text[0] != '\0' ? text : "-");
    }
    congru_status status = congru_paper_table(job, true, &table, NULL);
    return status == CONGRU_OK && set == NULL ? congru_paper_set_absent(job, dataset) : status;
}

/* Beside the paper's of its name, whatever classes it has: here the difference is what is asked for. */
static congru_status show_given(const congru_paper_job *job, size_t which, bool given[])
{
    congru_paper_open open;
    congru_status status = congru_paper_set_open(job, which, NULL, "ra+mdm", &open);
    if (status == CONGRU_OK) {
        const char *known = congru_paper_dataset(open.dataset);
        for (size_t i = 0; known != NULL && congru_paper_dataset_at(i) != NULL; i++)
            given[i] |= strcmp(known, congru_paper_dataset_at(i)) == 0;
        if (which == 0)
            status = congru_paper_title(job, "9", NULL);
        if (status == CONGRU_OK)
            status = show(job, known != NULL ? known : "", known != NULL ? known : open.dataset, open.set);
    }
    congru_paper_set_close(&open);
    return status;
}

congru_status congru_reproduce_datasets(const congru_paper_job *job)
{
    bool given[8] = {false};
    CONGRU_TRY(job->request->set_count == 0 ? congru_paper_title(job, "9", NULL) : CONGRU_OK);
    for (size_t i = 0; i < job->request->set_count; i++)
        CONGRU_TRY(show_given(job, i, given));
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        if (!given[i])
            CONGRU_TRY(show(job, congru_paper_dataset_at(i), congru_paper_dataset_at(i), NULL));
    return CONGRU_OK;
}
