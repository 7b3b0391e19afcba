/* Reads definitions of pipelines: lines of KEY = VALUE; and those that every context knows. SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "evaluation/pipeline.h"
#include "model/method_options.h"

enum { KEY_SIZE = 32, VALUE_SIZE = 512, LIST_MAX = 32, WORD_SIZE = 64 };

typedef struct line {
    char key[KEY_SIZE], value[VALUE_SIZE];
    size_t number;
    const char *wrong; /* what is; or NULL */
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

/* The lines of one pipeline, from the one behind its name on. */
typedef struct section {
    char name[CONGRU_PIPELINE_SIZE];
    const char *text;
    size_t number; /* of the line with its name */
    bool needed;
    congru_pipeline *made; /* once its lines are read */
    unsigned borrowed;     /* a bit for each branch whose blocks are another section's */
} section;

/* First all sections are found, then those that are needed are read, each once: a pipeline's branches are copied from those
 * above it. */
typedef struct definition_reader {
    congru_context *context;
    const char *where, *text;
    size_t sections, room;
    section *section;
    section *current;      /* that is being read */
    congru_pipeline *made; /* likewise */
    bool keeps;            /* blocks are wanted; otherwise what is wrong is all that is asked */
    line now;
    draft common, branch;
    bool in_branch;
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

static bool is_plain(const char *text, size_t size)
{
    uint32_t code;
    for (size_t i = 0, length; i < size; i += length) {
        length = congru_utf8_decode(text + i, size - i, &code);
        if (length == 0 || (congru_utf8_is_control(code) && code != '\t' && code != '\r'))
            return false;
    }
    return true;
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
            now->wrong = "not a line of KEY = VALUE";
        else if (!is_plain(text, size))
            now->wrong = "a control character, or not UTF-8";
        if (now->wrong != NULL)
            return false;
        trim(text, (size_t)(equals - text), now->key, sizeof now->key);
        trim(equals + 1, size - (size_t)(equals - text) - 1, now->value, sizeof now->value);
        if (now->key[0] == '\0')
            now->wrong = "not a line of KEY = VALUE";
        return now->wrong == NULL;
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
    branch->blocks = bands * windows;
    CONGRU_TRY(
        congru_allocate(r->context, &branch->block, branch->blocks, sizeof *branch->block, "a pipeline"));
    for (size_t b = 0; b < branch->blocks; b++) {
        congru_preprocessing *p = &branch->block[b];
        CONGRU_TRY(congru_preprocessing_copy(r->context, &d->p, p));
        if (d->band.count > 0)
            CONGRU_TRY(congru_preprocessing_set(r->context, p, NULL, "band", d->band.word[b / windows]));
        if (d->window.count > 0)
            CONGRU_TRY(congru_preprocessing_set(r->context, p, NULL, "window", d->window.word[b % windows]));
        CONGRU_TRY(congru_preprocessing_check(r->context, p));
    }
    return CONGRU_OK;
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
    if (r->made->branches == CONGRU_BRANCHES_MAX)
        return fail(r, "a pipeline has at most 8 branches");
    if (d->method[0] == '\0')
        return fail(r, "a branch without a method (method = ALIGNER+CLASSIFIER)");
    const congru_status status = congru_pipeline_parse_plain(r->context, d->method, &method);
    if (status != CONGRU_OK) {
        char text[CONGRU_ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "%s", congru_context_error(r->context));
        return congru_fail(r->context, status, "%s: line %zu: %.850s", r->where, r->now.number, text);
    }
    congru_branch *branch = &r->made->branch[r->made->branches++];
    *branch = (congru_branch){.aligner = method.branch[0].aligner,
                              .classifier = method.branch[0].classifier,
                              .blocks = 1,
                              .inside = d->inside,
                              .settings = d->settings,
                              .weight = d->weight};
    snprintf(branch->name, sizeof branch->name, "%s", d->name);
    memcpy(branch->setting, d->setting, sizeof branch->setting);
    if (d->own)
        CONGRU_TRY(make_blocks(r, d, branch));
    return check_branch(r, branch);
}

/* A pipeline of this name among the first `count` sections, or NULL. */
static section *find_section(const definition_reader *r, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(r->section[i].name, name) == 0)
            return &r->section[i];
    return NULL;
}

/* Those of one pipeline above this one, whose blocks stay its own, or of a built-in one. */
static congru_status copy_pipeline(definition_reader *r, const char *name)
{
    const section *above = find_section(r, (size_t)(r->current - r->section), name);
    congru_pipeline builtin = {0};
    const congru_pipeline *other = above != NULL ? above->made : &builtin;
    bool found = above != NULL;
    congru_status status = CONGRU_OK;
    if (!found && r->text != congru_definitions_builtin)
        status = congru_definitions_read(r->context, "built-in pipelines", congru_definitions_builtin, name,
                                         &builtin, &found);
    if (status == CONGRU_OK && !found)
        status = fail(r, "branches: there is no such pipeline above this one");
    if (status == CONGRU_OK && r->made->branches + other->branches > CONGRU_BRANCHES_MAX)
        status = fail(r, "a pipeline has at most 8 branches");
    if (status != CONGRU_OK) {
        congru_pipeline_clear(&builtin);
        return status;
    }
    for (size_t b = 0; b < other->branches; b++) {
        r->current->borrowed |= above != NULL ? 1u << r->made->branches : 0;
        r->made->branch[r->made->branches++] = other->branch[b];
    }
    return CONGRU_OK;
}

static congru_status copy_branches(definition_reader *r)
{
    word_list names;
    if (!split(r->now.value, &names))
        return fail(r, "branches wants names of pipelines with commas between");
    for (size_t i = 0; i < names.count; i++)
        CONGRU_TRY(copy_pipeline(r, names.word[i]));
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
    CONGRU_TRY(congru_method_options_set(r->context, &tried, where, r->now.key, r->now.value));
    if (tried.balance)
        return fail(r, "balance is of whole runs, not of branches (give --balance to 'congru loso')");
    if (d->settings == CONGRU_SETTINGS_MAX || strlen(r->now.value) >= sizeof d->setting[0].value)
        return fail(r, "too many options of methods, or too long a value");
    snprintf(d->setting[d->settings].name, sizeof d->setting[0].name, "%s", r->now.key);
    snprintf(d->setting[d->settings++].value, sizeof d->setting[0].value, "%.63s", r->now.value);
    return CONGRU_OK;
}

/* OPTION=V1,V2,...: one more of the options that the pipeline chooses itself. */
static congru_status add_choice(definition_reader *r)
{
    char text[CONGRU_CHOOSE_SIZE + VALUE_SIZE + 8], error[CONGRU_VALUE_ERROR_SIZE];
    snprintf(text, sizeof text, "%s; %s", r->made->choose, r->now.value);
    return congru_choose_parse(r->now.key, text, r->made->choose, error) ? CONGRU_OK : fail(r, error);
}

static congru_status set_choice(definition_reader *r)
{
    word_list words;
    if (strchr(r->now.value, '=') != NULL)
        return add_choice(r);
    if (!split(r->now.value, &words))
        return fail(r, "choose is C, weights, both, or OPTION=V1,V2,...");
    for (size_t i = 0; i < words.count; i++) {
        bool c = strcmp(words.word[i], "C") == 0, weights = strcmp(words.word[i], "weights") == 0;
        if (!c && !weights && strcmp(words.word[i], "nothing") != 0)
            return fail(r, "choose is C, weights, both, OPTION=V1,V2,..., or nothing");
        r->made->choose_c = r->made->choose_c || c;
        r->made->choose_weights = r->made->choose_weights || weights;
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
    CONGRU_TRY(end_branch(r));
    if (r->now.value[0] == '\0' || strlen(r->now.value) >= sizeof r->branch.name)
        return fail(r, "a branch needs a short name");
    for (size_t i = 0; i < r->made->branches; i++)
        if (strcmp(r->made->branch[i].name, r->now.value) == 0)
            return fail(r, "two branches of one name");
    r->branch = r->common;
    r->in_branch = true;
    snprintf(r->branch.name, sizeof r->branch.name, "%.63s", r->now.value);
    return CONGRU_OK;
}

/* ---- Pipelines ----------------------------------------------------------------------------------------- */

static congru_status read_line(definition_reader *r)
{
    if (strcmp(r->now.key, "branch") == 0)
        return begin_branch(r);
    if (strcmp(r->now.key, "title") == 0) {
        snprintf(r->made->title, sizeof r->made->title, "%.255s", r->now.value);
        return CONGRU_OK;
    }
    if (strcmp(r->now.key, "choose") == 0)
        return set_choice(r);
    if (strcmp(r->now.key, "branches") == 0) {
        CONGRU_TRY(end_branch(r));
        return copy_branches(r);
    }
    if (strcmp(r->now.key, "channels") == 0)
        return fail(r, "channels are chosen for all pipelines, by --channels");
    return read_key(r);
}

/* Blocks that are borrowed are freed by the section whose own they are. */
static void clear_section(section *s)
{
    for (size_t b = 0; s->made != NULL && b < s->made->branches; b++)
        if ((s->borrowed & 1u << b) == 0)
            congru_branch_clear(&s->made->branch[b]);
    free(s->made);
}

/* A pipeline that is only looked at for what is wrong keeps no blocks: they are many times the text. */
static void drop_blocks(section *s)
{
    for (size_t b = 0; b < s->made->branches; b++)
        congru_branch_clear(&s->made->branch[b]);
}

/* What is chosen is an option of a branch that does not state it. */
static congru_status check_choices(definition_reader *r)
{
    congru_option_values values;
    char what[128];
    for (size_t i = 0; congru_choose_at(r->made->choose, i, &values); i++) {
        bool taken = values.row == NULL;
        for (size_t b = 0; values.row != NULL && b < r->made->branches; b++)
            taken = taken || congru_branch_takes(&r->made->branch[b], values.row);
        if (taken)
            continue;
        snprintf(what, sizeof what, "choose %s: no branch of the pipeline that ends here has it to choose",
                 values.row->option.name);
        return fail(r, what);
    }
    return CONGRU_OK;
}

static congru_status read_lines(definition_reader *r, section *s)
{
    const char *at = s->text;
    while (next_line(&at, &r->now) && strcmp(r->now.key, "pipeline") != 0)
        CONGRU_TRY(read_line(r));
    CONGRU_TRY(end_branch(r));
    return s->made->branches > 0 ? check_choices(r) : fail(r, "a pipeline without a branch ends here");
}

static congru_status read_section(definition_reader *r, section *s)
{
    CONGRU_TRY(congru_allocate(r->context, &s->made, 1, sizeof *s->made, "a pipeline"));
    r->current = s;
    r->made = s->made;
    r->now = (line){.number = s->number};
    draft_begin(&r->common);
    const congru_status status = read_lines(r, s);
    r->in_branch = false;
    congru_preprocessing_clear(&r->common.p); /* the branch's channels are a copy of the pointer */
    if (!r->keeps)
        drop_blocks(s);
    return status;
}

static congru_status add_section(definition_reader *r, const char *text)
{
    const char *name = r->now.value;
    if (name[0] == '\0' || strlen(name) >= CONGRU_PIPELINE_SIZE || strpbrk(name, " \t,/\\'\"") != NULL)
        return fail(r, "a pipeline needs a short name, without blanks, commas, quotes and slashes");
    if (name[0] == '.' || strcmp(name, "all") == 0 || strcmp(name, "classical") == 0)
        return fail(r, "a pipeline's name does not begin with a dot, and is not 'all' or 'classical'");
    if (r->sections == CONGRU_DEFINITIONS_MAX)
        return fail(r, "more than 1000 pipelines");
    CONGRU_TRY(
        congru_grow(r->context, &r->section, &r->room, r->sections + 1, sizeof *r->section, "definitions"));
    section *added = &r->section[r->sections++];
    *added = (section){.text = text, .number = r->now.number};
    strcpy(added->name, name);
    return CONGRU_OK;
}

static congru_status find_sections(definition_reader *r)
{
    const char *at = r->text;
    while (next_line(&at, &r->now))
        if (strcmp(r->now.key, "pipeline") == 0)
            CONGRU_TRY(add_section(r, at));
        else if (r->sections == 0)
            return fail(r, "the first line is pipeline = NAME");
    return r->now.wrong != NULL ? fail(r, r->now.wrong) : CONGRU_OK;
}

/* What the section copies is needed, too; that stands above it, so that one walk up the sections marks all. */
static void mark_copied(definition_reader *r, const section *s)
{
    const char *at = s->text;
    line now = {0};
    word_list names;
    while (next_line(&at, &now) && strcmp(now.key, "pipeline") != 0) {
        if (strcmp(now.key, "branches") != 0 || !split(now.value, &names))
            continue;
        for (size_t i = 0; i < names.count; i++) {
            section *above = find_section(r, (size_t)(s - r->section), names.word[i]);
            if (above != NULL)
                above->needed = true;
        }
    }
}

/* The sections that are needed are read, and the wanted one is copied, with blocks of its own. */
static congru_status read_needed(definition_reader *r, const char *name, congru_pipeline *pipeline, bool *found)
{
    CONGRU_TRY(find_sections(r));
    section *wanted = name != NULL ? find_section(r, r->sections, name) : NULL;
    if (wanted != NULL)
        wanted->needed = true;
    for (section *s = wanted; s != NULL && s >= r->section; s--)
        if (s->needed)
            mark_copied(r, s);
    for (size_t i = 0; i < r->sections; i++)
        if (name == NULL || r->section[i].needed)
            CONGRU_TRY(read_section(r, &r->section[i]));
    *found = wanted != NULL;
    if (wanted == NULL)
        return CONGRU_OK;
    congru_pipeline_clear(pipeline);
    return congru_pipeline_copy(r->context, wanted->made, pipeline);
}

congru_status congru_definitions_read(congru_context *context, const char *where, const char *text,
                                      const char *name, congru_pipeline *pipeline, bool *found)
{
    definition_reader *r;
    *found = false;
    CONGRU_TRY(congru_allocate(context, &r, 1, sizeof *r, "definitions of pipelines"));
    *r = (definition_reader){.context = context, .where = where, .text = text, .keeps = name != NULL};
    const congru_status status = read_needed(r, name, pipeline, found);
    for (size_t i = 0; i < r->sections; i++)
        clear_section(&r->section[i]);
    free(r->section);
    free(r);
    return status;
}

bool congru_definitions_next(const char **at, char name[CONGRU_PIPELINE_SIZE])
{
    line now = {0};
    while (*at != NULL && next_line(at, &now))
        if (strcmp(now.key, "pipeline") == 0) {
            snprintf(name, CONGRU_PIPELINE_SIZE, "%.63s", now.value);
            return true;
        }
    return false;
}

/* ---- Built in -------------------------------------------------------------------------------------------- */

/* A network on signals has the name of its classifier. */
#define NETWORK(name) \
    "\n" \
    "pipeline = " name "\n" \
    "title = " name " from 4 to 38 Hz, the first four seconds after the cue\n" \
    "windows = inside\n" \
    "branch = " name "\n" \
    "method = " name "\n" \
    "band = 4:38\n" \
    "window = 0:4\n"

const char congru_definitions_builtin[] =
    "pipeline = motor\n"
    "title = three views of oscillations: the whole movement, its beginning, and a grid of narrow bands and "
    "windows\n"
    "choose = C, weights\n"
    "windows = inside\n"
    "method = ra+ridge\n"
    "branch = whole\n"
    "band = 8:30\n"
    "window = 0.5:3.5\n"
    "shrinkage = 0.001\n"
    "C = 0.01\n"
    "branch = early\n"
    "band = 7:35\n"
    "window = 0.4:1.4\n"
    "shrinkage = 0.005\n"
    "C = 0.01\n"
    "branch = grid\n"
    "band = 8:12, 10:14, 14:20, 18:25, 22:32\n"
    "window = 0.3:1.3, 1.2:2.2, 2.1:3.1, 3:4\n"
    "shrinkage = 0.03\n"
    "C = 0.001\n"
    "\n"
    "pipeline = slow\n"
    "title = slow potentials after the cue, which gaze and evoked responses may drive\n"
    "choose = C\n"
    "windows = inside\n"
    "branch = slow\n"
    "method = ea+bins\n"
    "baseline = all\n"
    "band = 0:12\n"
    "order = 3\n"
    "window = 0:1.5\n"
    "C = 0.001\n"
    "weight = 1.75\n"
    "\n"
    "pipeline = motor+slow\n"
    "title = the views of motor and of slow together\n"
    "choose = C, weights\n"
    "branches = motor, slow\n" NETWORK("shallow") NETWORK("deep") NETWORK("eegnet") NETWORK("conformer")
        NETWORK("inception") NETWORK("tsmnet") NETWORK("conv-dldct") NETWORK("conv-ddct-unet");
