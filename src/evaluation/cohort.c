/* Looks at each subject's trials before anything is run. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/cohort.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evaluation/split.h"

enum { NAMED_MOST = 4 }; /* in a note, which is one line of limited size */

bool congru_few_trials(size_t trials, size_t classes_present, size_t classes)
{
    return trials < classes || classes_present < classes;
}

/* The trials of each subject, and the classes among them: each subject's by itself, in one pass through its own. */
static congru_status count(congru_context *context, const congru_set *set, congru_member *member)
{
    const size_t n = set->count;
    size_t *first = NULL, *trial = NULL, *seen_by = NULL; /* the last subject that had the class, from 1 */
    congru_status status;
    CONGRU_TRY_TO(done, congru_allocate(context, &first, set->subjects + 2, sizeof *first, "%zu trials", n));
    CONGRU_TRY_TO(done, congru_allocate(context, &trial, n, sizeof *trial, "%zu trials", n));
    CONGRU_TRY_TO(done, congru_allocate(context, &seen_by, set->classes, sizeof *seen_by, "%zu trials", n));
    for (size_t i = 0; i < n; i++)
        first[set->subject[i] + 2]++;
    for (size_t s = 0; s < set->subjects; s++)
        first[s + 2] += first[s + 1];
    for (size_t i = 0; i < n; i++)
        trial[first[set->subject[i] + 1]++] = i;
    for (size_t s = 0; s < set->subjects; s++)
        for (size_t i = first[s]; i < first[s + 1]; i++) {
            const int32_t label = set->label[trial[i]];
            if (label < 0 || (size_t)label >= set->classes)
                continue;
            member[s].trials++;
            member[s].classes += seen_by[label] != s + 1;
            seen_by[label] = s + 1;
        }
done:
    free(first);
    free(trial);
    free(seen_by);
    return status;
}

static bool is_asked(const congru_evaluation_options *options, int32_t subject)
{
    bool asked = options->subjects == NULL;
    for (size_t i = 0; !asked && i < options->subject_count; i++)
        asked = options->subjects[i] == subject;
    return asked;
}

/* "S3 (1 trial), S5 (20 trials of 3 classes) and 2 more" of those for whom `wanted` answers true. */
static void name_members(const congru_set *set, const congru_member *member,
                         bool (*wanted)(const congru_set *set, const congru_member *member), congru_text *text)
{
    size_t named = 0;
    for (size_t s = 0; s < set->subjects; s++) {
        const congru_member *m = &member[s];
        if (!wanted(set, m) || named++ >= NAMED_MOST)
            continue;
        congru_text_add(text, "%s%s (%zu trial%s of %zu class%s)", named > 1 ? ", " : "", set->subject_name[s],
                        m->trials, m->trials == 1 ? "" : "s", m->classes, m->classes == 1 ? "" : "es");
    }
    if (named > NAMED_MOST)
        congru_text_add(text, " and %zu more", named - NAMED_MOST);
}

static bool is_few(const congru_set *set, const congru_member *member)
{
    return member->scored && congru_few_trials(member->trials, member->classes, set->classes);
}

static bool is_left_out(const congru_set *set, const congru_member *member)
{
    (void)set;
    return member->asked && !member->scored;
}

static void note_members(congru_context *context, const congru_set *set, const congru_member *member)
{
    congru_text few = {0}, left_out = {0};
    name_members(set, member, is_few, &few);
    name_members(set, member, is_left_out, &left_out);
    if (few.size > 0)
        congru_note(context, "few trials or a class without any, so that scores say little (marked *): %s",
                    few.data);
    if (left_out.size > 0)
        congru_note(context, "not scored, without trials both to fit on and to score: %s", left_out.data);
    congru_text_clear(&few);
    congru_text_clear(&left_out);
}

congru_status congru_cohort_make(congru_context *context, const congru_set *set,
                                 const congru_evaluation_options *options, congru_member **member)
{
    size_t scored = 0, refused = set->subjects;
    congru_split split;
    CONGRU_TRY(congru_allocate(context, member, set->subjects, sizeof **member, "%zu subjects", set->subjects));
    CONGRU_TRY(count(context, set, *member));
    for (size_t s = 0; s < set->subjects; s++) {
        congru_member *own = &(*member)[s];
        own->asked = is_asked(options, (int32_t)s);
        if (!own->asked)
            continue;
        const congru_status status = congru_split_make(context, set, options, (int32_t)s, 0, &split);
        congru_split_clear(&split);
        own->scored = status == CONGRU_OK;
        scored += own->scored;
        if (status == CONGRU_ERROR_ARGUMENT)
            refused = refused == set->subjects ? s : refused;
        else
            CONGRU_TRY(status);
    }
    if (scored == 0 && refused < set->subjects) /* in the words for the first of them */
        return congru_split_make(context, set, options, (int32_t)refused, 0, &split);
    note_members(context, set, *member);
    return CONGRU_OK;
}

void congru_cohort_text(const congru_set *set, const congru_member *member, congru_text *text)
{
    const char *between = "";
    congru_text_add(text, ",\n\"scored\": [");
    for (size_t s = 0; s < set->subjects; s++) {
        if (!member[s].scored)
            continue;
        congru_text_add(text, "%s", between);
        congru_text_add_json(text, set->subject_name[s]);
        between = ", ";
    }
    between = "";
    congru_text_add(text, "],\n\"few_trials\": [");
    for (size_t s = 0; s < set->subjects; s++) {
        if (!member[s].asked || (member[s].scored && !is_few(set, &member[s])))
            continue;
        congru_text_add(text, "%s{\"subject\": ", between);
        congru_text_add_json(text, set->subject_name[s]);
        congru_text_add(text, ", \"trials\": %zu, \"classes\": %zu, \"scored\": %s}", member[s].trials,
                        member[s].classes, member[s].scored ? "true" : "false");
        between = ", ";
    }
    congru_text_add(text, "]");
}

/* Whether the scored trials of a subject under a pipeline include one of the class. */
static bool has_class(const congru_results *results, size_t pipeline, size_t subject, size_t label)
{
    for (size_t f = 0; f < results->folds; f++) {
        const congru_fold *fold = &results->fold[f];
        if (fold->pipeline != pipeline || (size_t)fold->subject != subject)
            continue;
        for (size_t i = 0; i < fold->samples; i++)
            if ((size_t)fold->truth[i] == label)
                return true;
    }
    return false;
}

void congru_results_mark(congru_results *results)
{
    for (size_t f = 0; f < results->folds; f++) {
        const congru_fold *fold = &results->fold[f];
        size_t subject = (size_t)fold->subject, trials = 0, present = 0;
        for (size_t g = 0; g < results->folds; g++)
            if (results->fold[g].pipeline == fold->pipeline && results->fold[g].subject == fold->subject)
                trials += results->fold[g].samples;
        if (trials == 0) /* without predictions nothing is known */
            continue;
        for (size_t k = 0; k < results->classes; k++)
            present += has_class(results, fold->pipeline, subject, k);
        if (congru_few_trials(trials, present, results->classes))
            results->subject_few[subject] = true;
    }
}
