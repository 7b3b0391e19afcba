/* Reads definitions of pipelines: lines of KEY = VALUE. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "evaluation/pipeline.h"

enum { KEY_SIZE = 32, VALUE_SIZE = 512, LIST_MAX = 32, WORD_SIZE = 64 };

typedef struct line {
    char key[KEY_SIZE], value[VALUE_SIZE];
    size_t number;
    bool wrong; /* it is no KEY = VALUE */
} line;

/* A list of words, such as several bands. */
typedef struct word_list {
    size_t count;
    char word[LIST_MAX][WORD_SIZE];
} word_list;

/* What a branch is made of while its lines are read; what stands above the first branch holds for all of a pipeline. */
typedef struct draft {
    char name[CONGRU_LABEL_SIZE], method[CONGRU_PIPELINE_SIZE];
    congru_preprocessing p;
    bool own; /* it has a preprocessing of its own */
    word_list band, window;
    bool inside;
    size_t settings;
    congru_branch_setting setting[CONGRU_SETTINGS_MAX];
    double weight;
} draft;

typedef struct definition_reader {
    congru_context *context;
    const char *where, *text;
    const char *at; /* the next line */
    line now;
    const char *wanted; /* the name of the pipeline to keep; NULL: read all */
    bool within;        /* a pipeline has begun */
    bool kept;          /* the one that is being read is to be kept */
    bool *found;
    draft common, branch;
    bool in_branch;
    congru_pipeline made; /* that is being read */
    congru_pipeline *pipeline;
} definition_reader;

/* ---- Lines --------------------------------------------------------------------------------------------- */

static void trim(const char *from, size_t size, char *to, size_t room)
{
    while (size > 0 && (*from == ' ' || *from == '\t')) {
        from++;
        size--;
    }
    while (size > 0 && (from[size - 1] == ' ' || from[size - 1] == '\t' || from[size - 1] == '\r'))
        size--;
    snprintf(to, room, "%.*s", (int)(size < room ? size : room - 1), from);
}

/* The next line that says something: false at the end, or where a line is none. */
static bool next_line(const char **at, line *now)
{
    while (**at != '\0') {
        const char *text = *at, *equals;
        size_t size = strcspn(text, "\n"), blank = strspn(text, " \t\r");
        *at += size + (text[size] == '\n');
        now->number++;
        if (blank >= size || text[blank] == '#')
            continue;
        equals = memchr(text, '=', size);
        if (equals == NULL || (size_t)(equals - text) >= KEY_SIZE ||
            size - (size_t)(equals - text) > VALUE_SIZE)
            return !(now->wrong = true);
        trim(text, (size_t)(equals - text), now->key, sizeof now->key);
        trim(equals + 1, size - (size_t)(equals - text) - 1, now->value, sizeof now->value);
        now->wrong = now->key[0] == '\0';
        return !now->wrong;
    }
    return false;
}

static congru_status fail(const definition_reader *r, const char *what)
{
    return congru_fail(r->context, CONGRU_ERROR_ARGUMENT, "%s: line %zu: %s", r->where, r->now.number, what);
}

static bool split(const char *text, word_list *list)
{
    list->count = 0;
    for (const char *at = text;; at++) {
        size_t size = strcspn(at, ",");
        if (list->count == LIST_MAX || size >= WORD_SIZE)
            return false;
        trim(at, size, list->word[list->count], WORD_SIZE);
        if (list->word[list->count++][0] == '\0')
            return false;
        at += size;
        if (*at == '\0')
            return true;
    }
}

/* ---- Branches ------------------------------------------------------------------------------------------ */

static void draft_begin(draft *d)
{
    *d = (draft){.weight = 1};
    congru_preprocessing_init_raw(&d->p);
}

/* Every band with every window. */
static congru_status make_blocks(definition_reader *r, draft *d, congru_branch *branch)
{
    size_t bands = d->band.count > 0 ? d->band.count : 1, windows = d->window.count > 0 ? d->window.count : 1;
    if (bands * windows > CONGRU_BLOCKS_MAX)
        return fail(r, "more bands and windows than 64 blocks");
    branch->block = calloc(bands * windows, sizeof *branch->block);
    if (branch->block == NULL)
        return congru_fail(r->context, CONGRU_ERROR_MEMORY, "not enough memory for a pipeline");
    congru_status status = CONGRU_OK;
    for (size_t b = 0; status == CONGRU_OK && b < bands * windows; b++) {
        congru_preprocessing *p = &branch->block[branch->blocks];
        status = congru_preprocessing_copy(r->context, &d->p, p);
        branch->blocks++;
        if (status == CONGRU_OK && d->band.count > 0)
            status = congru_preprocessing_set(r->context, p, NULL, "band", d->band.word[b / windows]);
        if (status == CONGRU_OK && d->window.count > 0)
            status = congru_preprocessing_set(r->context, p, NULL, "window", d->window.word[b % windows]);
        if (status == CONGRU_OK)
            status = congru_preprocessing_check(r->context, p);
    }
    return status;
}

static congru_status check_branch(definition_reader *r, const congru_branch *branch)
{
    const congru_aligner *aligner = branch->aligner;
    if (aligner->labels)
        return fail(r, "a branch may not ask for labels of the target subject");
    if (branch->blocks > 1 && (branch->classifier->features == NULL || aligner->fit != NULL))
        return fail(r,
                    "several bands or windows are joined by a classifier of features (ridge, bins), behind an "
                    "aligner that learns nothing (none, ra, ea)");
    return CONGRU_OK;
}

/* The branch whose lines have ended becomes one of the pipeline. */
static congru_status end_branch(definition_reader *r)
{
    draft *d = &r->branch;
    congru_pipeline method = {0};
    if (!r->in_branch)
        return CONGRU_OK;
    r->in_branch = false;
    if (r->made.branches == CONGRU_BRANCHES_MAX)
        return fail(r, "a pipeline has at most 8 branches");
    if (d->method[0] == '\0')
        return fail(r, "a branch without a method (method = ALIGNER+CLASSIFIER)");
    congru_status status = congru_pipeline_parse_plain(r->context, d->method, &method);
    if (status != CONGRU_OK) {
        char text[CONGRU_ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "%s", congru_context_error(r->context));
        return congru_fail(r->context, status, "%s: line %zu: %.850s", r->where, r->now.number, text);
    }
    congru_branch *branch = &r->made.branch[r->made.branches++];
    *branch = (congru_branch){.aligner = method.aligner,
                              .classifier = method.classifier,
                              .inside = d->inside,
                              .settings = d->settings,
                              .weight = d->weight};
    snprintf(branch->name, sizeof branch->name, "%s", d->name);
    memcpy(branch->setting, d->setting, sizeof branch->setting);
    if (d->own)
        status = make_blocks(r, d, branch);
    return status == CONGRU_OK ? check_branch(r, branch) : status;
}

/* Copies the branches of other pipelines of the same definitions or of the built-in ones. */
static congru_status copy_branches(definition_reader *r)
{
    word_list names;
    if (!split(r->now.value, &names))
        return fail(r, "branches wants names of pipelines with commas between");
    for (size_t i = 0; i < names.count; i++) {
        congru_pipeline other = {0};
        bool found = false;
        congru_status status =
            congru_definitions_read(r->context, r->where, r->text, names.word[i], &other, &found);
        if (status == CONGRU_OK && !found)
            status = congru_definitions_read(r->context, "built-in pipelines", congru_definitions_builtin,
                                             names.word[i], &other, &found);
        if (status == CONGRU_OK && !found)
            status = fail(r, "branches: there is no such pipeline before this one");
        if (status == CONGRU_OK && r->made.branches + other.branches > CONGRU_BRANCHES_MAX)
            status = fail(r, "a pipeline has at most 8 branches");
        for (size_t b = 0; status == CONGRU_OK && b < other.branches; b++) {
            r->made.branch[r->made.branches++] = other.branch[b];
            other.branch[b].blocks = 0; /* they are the other's no more */
            other.branch[b].block = NULL;
        }
        congru_pipeline_clear(&other);
        if (status != CONGRU_OK)
            return status;
    }
    return CONGRU_OK;
}

/* ---- Keys ---------------------------------------------------------------------------------------------- */

static bool is_preprocessing(const char *key)
{
    for (size_t i = 0; i < CONGRU_PREPROCESSING_TRIAL_OPTIONS; i++)
        if (strcmp(congru_preprocessing_options[i].name, key) == 0)
            return true;
    return false;
}

static congru_status set_preprocessing(definition_reader *r, draft *d)
{
    const char *key = r->now.key, *value = r->now.value;
    bool band = strcmp(key, "band") == 0, window = strcmp(key, "window") == 0;
    char where[WORD_SIZE + KEY_SIZE];
    d->own = true;
    if (band || window)
        return split(value, band ? &d->band : &d->window) ? CONGRU_OK : fail(r, "no list of ranges A:B");
    snprintf(where, sizeof where, "line %zu: %s", r->now.number, key);
    return congru_preprocessing_set(r->context, &d->p, where, key, value);
}

/* Tried on options of its own, so that what is wrong with the value is told here. */
static congru_status set_method_option(definition_reader *r, draft *d)
{
    congru_method_options tried;
    char where[WORD_SIZE + KEY_SIZE];
    snprintf(where, sizeof where, "line %zu: %s", r->now.number, r->now.key);
    congru_method_options_init(&tried);
    congru_status status = congru_method_options_set(r->context, &tried, where, r->now.key, r->now.value);
    if (status != CONGRU_OK)
        return status;
    if (tried.balance)
        return fail(r, "balance is of whole runs, not of branches (give --balance to 'congru loso')");
    if (d->settings == CONGRU_SETTINGS_MAX || strlen(r->now.value) >= sizeof d->setting[0].value)
        return fail(r, "too many options of methods, or too long a value");
    snprintf(d->setting[d->settings].name, sizeof d->setting[0].name, "%s", r->now.key);
    snprintf(d->setting[d->settings++].value, sizeof d->setting[0].value, "%.63s", r->now.value);
    return CONGRU_OK;
}

static congru_status set_choice(definition_reader *r)
{
    word_list words;
    if (!split(r->now.value, &words))
        return fail(r, "choose is C, weights, or both");
    for (size_t i = 0; i < words.count; i++) {
        bool c = strcmp(words.word[i], "C") == 0, weights = strcmp(words.word[i], "weights") == 0;
        if (!c && !weights && strcmp(words.word[i], "nothing") != 0)
            return fail(r, "choose is C, weights, both, or nothing");
        r->made.choose_c = r->made.choose_c || c;
        r->made.choose_weights = r->made.choose_weights || weights;
    }
    return CONGRU_OK;
}

static congru_status set_windows(definition_reader *r, draft *d)
{
    d->inside = strcmp(r->now.value, "inside") == 0;
    return d->inside || strcmp(r->now.value, "strict") == 0 ? CONGRU_OK
                                                            : fail(r, "windows is inside or strict");
}

static congru_status set_weight(definition_reader *r, draft *d)
{
    char error[CONGRU_VALUE_ERROR_SIZE];
    if (!congru_value_number("weight", r->now.value, 0, 1e6, &d->weight, error))
        return fail(r, error);
    return CONGRU_OK;
}

/* A key of a branch, or of what all branches of the pipeline begin with. */
static congru_status read_key(definition_reader *r)
{
    draft *d = r->in_branch ? &r->branch : &r->common;
    const char *key = r->now.key;
    if (strcmp(key, "method") == 0) {
        snprintf(d->method, sizeof d->method, "%.63s", r->now.value);
        return CONGRU_OK;
    }
    if (strcmp(key, "weight") == 0)
        return set_weight(r, d);
    if (strcmp(key, "windows") == 0)
        return set_windows(r, d);
    if (is_preprocessing(key))
        return set_preprocessing(r, d);
    if (congru_method_option_find(key) != NULL)
        return set_method_option(r, d);
    return fail(
        r, "no such key (pipeline, title, choose, branches, branch, method, weight, windows, or an option of "
           "preprocessing or of a method)");
}

static congru_status begin_branch(definition_reader *r)
{
    congru_status status = end_branch(r);
    if (status != CONGRU_OK)
        return status;
    if (r->now.value[0] == '\0' || strlen(r->now.value) >= sizeof r->branch.name)
        return fail(r, "a branch needs a short name");
    for (size_t i = 0; i < r->made.branches; i++)
        if (strcmp(r->made.branch[i].name, r->now.value) == 0)
            return fail(r, "two branches of one name");
    r->branch = r->common;
    r->in_branch = true;
    snprintf(r->branch.name, sizeof r->branch.name, "%.63s", r->now.value);
    return CONGRU_OK;
}

/* ---- Pipelines ----------------------------------------------------------------------------------------- */

/* Lines of pipelines that nobody asked for are passed over. */
static bool is_read(const definition_reader *r)
{
    return r->within && (r->wanted == NULL || r->kept);
}

static congru_status end_pipeline(definition_reader *r)
{
    congru_status status = end_branch(r);
    if (status == CONGRU_OK && is_read(r) && r->made.branches == 0)
        status = fail(r, "a pipeline without a branch ends here");
    if (status == CONGRU_OK && r->kept && r->within) {
        congru_pipeline_clear(r->pipeline);
        *r->pipeline = r->made;
        r->pipeline->aligner = r->made.branch[0].aligner;
        r->pipeline->classifier = r->made.branch[0].classifier;
        *r->found = true;
    } else {
        congru_pipeline_clear(&r->made);
    }
    r->made = (congru_pipeline){0};
    congru_preprocessing_clear(&r->common.p); /* the branch's channels are a copy of the pointer */
    return status;
}

static congru_status begin_pipeline(definition_reader *r)
{
    congru_status status = r->within ? end_pipeline(r) : CONGRU_OK;
    if (status != CONGRU_OK)
        return status;
    const char *name = r->now.value;
    if (name[0] == '\0' || strlen(name) >= CONGRU_PIPELINE_SIZE || strpbrk(name, " ,/\\'\"") != NULL)
        return fail(r, "a pipeline needs a short name, without blanks, commas, quotes and slashes");
    draft_begin(&r->common);
    r->within = true;
    r->kept = r->wanted != NULL && strcmp(r->wanted, name) == 0;
    return CONGRU_OK;
}

static congru_status read_line(definition_reader *r)
{
    if (strcmp(r->now.key, "pipeline") == 0)
        return begin_pipeline(r);
    if (!r->within)
        return fail(r, "the first line is pipeline = NAME");
    if (!is_read(r))
        return CONGRU_OK;
    if (strcmp(r->now.key, "branch") == 0)
        return begin_branch(r);
    if (strcmp(r->now.key, "title") == 0) {
        snprintf(r->made.title, sizeof r->made.title, "%.255s", r->now.value);
        return CONGRU_OK;
    }
    if (strcmp(r->now.key, "choose") == 0)
        return set_choice(r);
    if (strcmp(r->now.key, "branches") == 0) {
        congru_status status = end_branch(r);
        return status == CONGRU_OK ? copy_branches(r) : status;
    }
    if (strcmp(r->now.key, "channels") == 0)
        return fail(r, "channels are chosen for all pipelines, by --channels");
    return read_key(r);
}

congru_status congru_definitions_read(congru_context *context, const char *where, const char *text,
                                      const char *name, congru_pipeline *pipeline, bool *found)
{
    definition_reader *r = calloc(1, sizeof *r);
    *found = false;
    if (r == NULL)
        return congru_fail(context, CONGRU_ERROR_MEMORY, "not enough memory for definitions of pipelines");
    *r = (definition_reader){.context = context,
                             .where = where,
                             .text = text,
                             .at = text,
                             .wanted = name,
                             .found = found,
                             .pipeline = pipeline};
    congru_status status = CONGRU_OK;
    while (status == CONGRU_OK && !*found && next_line(&r->at, &r->now))
        status = read_line(r);
    if (status == CONGRU_OK && !*found && r->now.wrong)
        status = fail(r, "not a line of KEY = VALUE");
    if (status == CONGRU_OK && !*found && r->within)
        status = end_pipeline(r);
    congru_pipeline_clear(&r->made);
    free(r);
    return status;
}

bool congru_definitions_name(const char *text, size_t index, char name[CONGRU_PIPELINE_SIZE])
{
    line now = {0};
    for (const char *at = text; text != NULL && next_line(&at, &now);)
        if (strcmp(now.key, "pipeline") == 0 && index-- == 0) {
            snprintf(name, CONGRU_PIPELINE_SIZE, "%.63s", now.value);
            return true;
        }
    return false;
}
