/* The table of options of methods: defaults, text, bounds, JSON, differences. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "congru/congru.h"
#include "congru/preprocess.h"
#include "context_main.h"
#include "harness.h"
#include "model/method_options.h"

static congru_context *context;

static const congru_method_option *row_at(size_t index)
{
    return congru_method_option_at(index);
}

static void check_set(congru_method_options *options, const char *name, const char *text)
{
    CHECK_SAYING(congru_method_options_set(context, options, NULL, name, text) == CONGRU_OK, "%s",
                 congru_context_error(context));
}

static void check_get(const congru_method_options *options, const char *name, const char *expected)
{
    char text[CONGRU_OPTION_TEXT_SIZE] = "nothing";
    congru_method_options_get(options, name, text);
    CHECK_SAYING(strcmp(text, expected) == 0, "--%s is %s, not %s", name, text, expected);
}

static void check_refused(const char *name, const char *text, const char *words)
{
    congru_method_options options, before;
    congru_method_options_init(&options);
    before = options;
    CHECK_SAYING(congru_method_options_set(context, &options, "here", name, text) == CONGRU_ERROR_ARGUMENT,
                 "--%s %s is not refused", name, text);
    const char *said = congru_context_error(context);
    CHECK_SAYING(strcmp(said, words) == 0, "'%s', not '%s'", said, words);
    CHECK(strchr(said, '\n') == NULL && congru_method_options_compare(&before, &options, NULL, 0) == 0);
}

/* What init fills in is what the text of the default reads as, and what is printed is that text. */
TEST(every_default_is_its_text)
{
    congru_method_options defaults, changed;
    congru_method_options_init(&defaults);
    CHECK(congru_method_options_check(context, &defaults) == CONGRU_OK);
    for (size_t i = 0; row_at(i) != NULL; i++) {
        const congru_method_option *row = row_at(i);
        char sentence[CONGRU_OPTION_TEXT_SIZE];
        CHECK(congru_method_option_find(row->option.name) == row);
        if (row->kind == CONGRU_OPTION_SHORTHAND) {
            CHECK(congru_method_option_find(row->stands_for) != NULL);
            continue;
        }
        check_get(&defaults, row->option.name, row->standard);
        changed = defaults;
        check_set(&changed, row->option.name, row->standard);
        CHECK(memcmp(&changed, &defaults, sizeof changed) == 0);
        snprintf(sentence, sizeof sentence, " Default: %s.", row->standard);
        bool told = strstr(row->option.help, sentence) != NULL;
        CHECK_SAYING(told == (row->option.argument != NULL && row->standard[0] != '\0'), "--%s: %s",
                     row->option.name, row->option.help);
    }
}

/* A value other than the default. */
static void other_value(const congru_method_option *row, char text[CONGRU_OPTION_TEXT_SIZE])
{
    switch (row->kind) {
    case CONGRU_OPTION_SWITCH:
        strcpy(text, "on");
        break;
    case CONGRU_OPTION_CHOICE:
    case CONGRU_OPTION_RECIPE:
        strcpy(text, row->choices[1]);
        break;
    case CONGRU_OPTION_RANGE:
        strcpy(text, "0.30000000000000004:30");
        break;
    case CONGRU_OPTION_CHOOSE:
        strcpy(text, "lambda-sub=0.01,0.05; steps=own,200; weights");
        break;
    case CONGRU_OPTION_WIDTHS:
        strcpy(text, "7,512,1");
        break;
    case CONGRU_OPTION_NUMBER_OR_AUTO:
        strcpy(text, "0.25");
        break;
    case CONGRU_OPTION_SEED:
        strcpy(text, "18446744073709551615");
        break;
    case CONGRU_OPTION_INTEGER:
        snprintf(text, CONGRU_OPTION_TEXT_SIZE, "%d", (int)row->fallback + 3); /* also of "own", -1 */
        break;
    case CONGRU_OPTION_NUMBER:
        strcpy(text, row->most < 0.999 ? "0.12345678901234568" : "0.30000000000000004");
        break;
    case CONGRU_OPTION_SHORTHAND:
        break;
    }
}

/* How many options of methods a recipe lists. */
static size_t listed(congru_recipe recipe)
{
    const congru_recipe_value *value;
    size_t count = 0;
    for (size_t i = 0; (value = congru_recipe_at(recipe, i)) != NULL; i++)
        count += congru_method_option_find(value->option) != NULL;
    return count;
}

/* Each by itself: printed as it was set, and the one option that differs, with those that a recipe lists. */
TEST(every_value_is_printed_back)
{
    congru_method_options defaults;
    congru_method_options_init(&defaults);
    for (size_t i = 0; row_at(i) != NULL; i++) {
        const congru_method_option *row = row_at(i);
        char text[CONGRU_OPTION_TEXT_SIZE], differences[512], part[2 * CONGRU_OPTION_TEXT_SIZE];
        congru_method_options changed = defaults;
        if (row->kind == CONGRU_OPTION_SHORTHAND) {
            check_set(&changed, row->option.name, "");
            check_get(&changed, row->stands_for, row->means);
            continue;
        }
        other_value(row, text);
        check_set(&changed, row->option.name, text);
        check_get(&changed, row->option.name, text);
        CHECK(congru_method_options_check(context, &changed) == CONGRU_OK);
        size_t count = congru_method_options_compare(&defaults, &changed, differences, sizeof differences);
        snprintf(part, sizeof part, "--%s%s%s here", row->option.name, row->option.argument != NULL ? " " : "",
                 row->option.argument != NULL ? text : "");
        const size_t also = row->kind == CONGRU_OPTION_RECIPE ? listed(CONGRU_RECIPE_AUTHORS) : 0;
        CHECK_SAYING(count == 1 + also && strstr(differences, part) != NULL, "%zu: %s", count, differences);
    }
}

/* A recipe is its list: what it names is set, what is given after it stays, and another recipe takes it back. */
TEST(a_recipe_sets_what_it_lists)
{
    const congru_recipe_value *value;
    congru_method_options defaults, options;
    congru_method_options_init(&defaults);
    options = defaults;
    check_set(&options, "recipe", "authors");
    check_set(&options, "C", "0.25");
    CHECK(listed(CONGRU_RECIPE_PRINTED) == 0 && listed(CONGRU_RECIPE_AUTHORS) > 5);
    for (size_t i = 0; (value = congru_recipe_at(CONGRU_RECIPE_AUTHORS, i)) != NULL; i++) {
        bool signal = false;
        for (size_t k = 0; k < CONGRU_PREPROCESSING_TRIAL_OPTIONS; k++)
            signal = signal || strcmp(congru_preprocessing_options[k].name, value->option) == 0;
        if (!signal)
            check_get(&options, value->option, value->value);
    }
    check_get(&options, "dct-steps", "400");
    check_set(&options, "steps", "own"); /* as by default, and given all the same */
    check_get(&options, "dct-steps", "0");
    check_set(&options, "dispersion", "global");
    check_get(&options, "dispersion", "global");
    check_get(&options, "recipe", "authors");
    check_set(&options, "recipe", "printed");
    check_get(&options, "C", "0.25");
    check_set(&options, "C", "auto");
    CHECK(memcmp(&options, &defaults, sizeof options) == 0);
    CHECK(congru_recipe_at((congru_recipe)9, 0) == NULL);
}

/* All at once through the text of run.json. */
TEST(json_keeps_every_value)
{
    congru_method_options written, read;
    congru_text json = {0};
    char key[64], text[CONGRU_OPTION_TEXT_SIZE];
    size_t rows = 0, seen = 0;
    congru_method_options_init(&written);
    congru_method_options_init(&read);
    for (size_t i = 0; row_at(i) != NULL; i++)
        if (row_at(i)->kind != CONGRU_OPTION_SHORTHAND) {
            other_value(row_at(i), text);
            check_set(&written, row_at(i)->option.name, text);
            rows++;
        }
    congru_text_add(&json, "{\"another\": [1, {\"C\": 2}]");
    congru_method_options_write(&written, false, &json);
    congru_method_options_write(&written, true, &json);
    congru_text_add(&json, "}");
    congru_scan scan = congru_scan_start(json.data, json.size);
    for (bool first = congru_scan_object(&scan); congru_scan_member(&scan, &first, key, sizeof key);) {
        const congru_method_option *row;
        CHECK_SAYING(congru_method_options_read(&scan, key, &read, &row), "%s", key);
        seen += row != NULL;
    }
    CHECK_SAYING(congru_scan_end(&scan), "%s", json.data);
    CHECK(seen == rows && memcmp(&read, &written, sizeof read) == 0);
    CHECK(strstr(json.data, "\"ra-mean\": \"logeuclid\"") != NULL && strstr(json.data, "\"C\": 0.25") != NULL);
    CHECK(strstr(json.data, "\"dims\": [7, 512, 1]") != NULL);
    CHECK(strstr(json.data, "\"merges\": \"every\"") != NULL);
    congru_text_clear(&json);
    congru_scan wrong = congru_scan_start("\"fast\"", 6);
    const congru_method_option *row;
    CHECK(!congru_method_options_read(&wrong, "C", &read, &row) && row != NULL);
}

TEST(bounds_are_kept)
{
    for (size_t i = 0; row_at(i) != NULL; i++) {
        const congru_method_option *row = row_at(i);
        congru_method_options options;
        congru_method_options_init(&options);
        const char *bad = row->kind == CONGRU_OPTION_SWITCH ? "yes" : row->least < 0 ? "-2" : "-1";
        if (row->kind == CONGRU_OPTION_SHORTHAND)
            continue;
        CHECK_SAYING(congru_method_options_set(context, &options, NULL, row->option.name, bad) ==
                         CONGRU_ERROR_ARGUMENT,
                     "--%s %s", row->option.name, bad);
        CHECK(strncmp(congru_context_error(context), "--", 2) == 0);
    }
    check_refused("batch", "0", "here is 0; it must be between 1 and 1000000");
    check_refused("batch", "OWN", "here wants a whole number, not 'OWN'");
    check_refused("ensemble", "own", "here wants a whole number, not 'own'");
    check_refused("label-smoothing", "1", "here is 1; it must be between 0 and 0.99");
    check_refused("lr", "nan", "here wants a number, not 'nan'");
    check_refused("fisher", "Axis", "here is frobenius or axis, not 'Axis'");
    check_refused("seed", "18446744073709551616",
                  "here is 18446744073709551616; it must be between 0 and 18446744073709551615");
    check_refused("dims", "3,,3", "here wants a whole number, not ''");
    check_refused("dims", "3,3,", "here wants at most 9 widths with commas between, not '3,3,'");
    check_refused("dims", "1,1,1,1,1,1,1,1,1,1",
                  "here wants at most 9 widths with commas between, not '1,1,1,1,1,1,1,1,1,1'");
    check_refused("signal-band", "38:4", "here is 38:4; the second number must be the larger");
    check_refused("signal-band", "all", "here wants two numbers with a colon between, not 'all'");
    check_refused("signal-window", "0:1e6", "here is 1e6; it must be between -100000 and 100000");
    check_refused("c", "1", "here: no such option of a method");
    CHECK(congru_method_options_set(context, NULL, NULL, "C", "1") == CONGRU_ERROR_ARGUMENT);
    CHECK(!congru_method_options_get(NULL, "C", (char[CONGRU_OPTION_TEXT_SIZE]){0}));
}

/* Members that a program filled in. */
TEST(members_are_checked)
{
    congru_method_options options;
    congru_method_options_init(&options);
    options.network.rate = NAN;
    CHECK(congru_method_options_check(context, &options) == CONGRU_ERROR_ARGUMENT);
    CHECK(strcmp(congru_context_error(context), "--lr wants a number, not 'nan'") == 0);
    congru_method_options_init(&options);
    options.mdm_metric = (congru_metric)7;
    CHECK(congru_method_options_check(context, &options) == CONGRU_ERROR_ARGUMENT);
    CHECK(strcmp(congru_context_error(context), "--mdm-metric is none of its choices") == 0);
    congru_method_options_init(&options);
    options.network.width_count = CONGRU_LAYERS_MAX + 1;
    CHECK(congru_method_options_check(context, &options) == CONGRU_ERROR_ARGUMENT);
    CHECK(strcmp(congru_context_error(context), "--dims wants at most 9 widths, not 10") == 0);
    congru_method_options_init(&options);
    options.network.signal_window[0] = options.network.signal_window[1] = 1;
    CHECK(congru_method_options_check(context, &options) == CONGRU_ERROR_ARGUMENT);
    CHECK(strcmp(congru_context_error(context),
                 "--signal-window is 1:1; the second number must be the larger") == 0);
    CHECK(congru_method_options_check(context, NULL) == CONGRU_ERROR_ARGUMENT);
}

/* Runs from before an option are taken up: of a quiet one that is not set run.json says nothing. */
TEST(quiet_options_are_not_written)
{
    congru_method_options options;
    congru_text json = {0};
    congru_method_options_init(&options);
    congru_method_options_write(&options, false, &json);
    CHECK(strstr(json.data, "signal-") == NULL && strstr(json.data, "\"zscore\": false") != NULL);
    congru_text_clear(&json);
    check_set(&options, "signal-band", "off");
    check_set(&options, "signal-window", "-0.5:30");
    congru_method_options_write(&options, false, &json);
    CHECK_SAYING(strstr(json.data, "\"signal-band\": \"off\",\n  \"signal-window\": \"-0.5:30\"") != NULL, "%s",
                 json.data);
    congru_text_clear(&json);
}

TEST(differences_are_told_in_words)
{
    congru_method_options there, here;
    char text[512];
    congru_method_options_init(&there);
    congru_method_options_init(&here);
    CHECK(congru_method_options_compare(&there, &here, text, sizeof text) == 0 && text[0] == '\0');
    check_set(&here, "C", "0.1");
    check_set(&here, "dims", "22,11,22");
    check_set(&there, "no-record", "");
    CHECK(congru_method_options_compare(&there, &here, text, sizeof text) == 3);
    const char *words =
        "--C auto there, --C 0.1 here; no --dims there, --dims 22,11,22 here; --no-record there, no "
        "--no-record here";
    CHECK_SAYING(strcmp(text, words) == 0, "%s", text);
}

/* The help of a choice says what each is. */
TEST(help_names_every_choice)
{
    for (size_t i = 0; row_at(i) != NULL; i++)
        for (size_t k = 0; row_at(i)->choices != NULL && row_at(i)->choices[k] != NULL; k++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "'%s'", row_at(i)->choices[k]);
            CHECK_SAYING(strstr(row_at(i)->option.help, quoted) != NULL, "--%s: no %s in its help",
                         row_at(i)->option.name, quoted);
        }
}

/* Rows of a group follow each other, which is how help prints them. */
TEST(groups_are_whole)
{
    size_t changes = 0;
    for (size_t i = 1; row_at(i) != NULL; i++)
        changes +=
            strcmp(congru_method_option_group(row_at(i - 1)), congru_method_option_group(row_at(i))) != 0;
    CHECK(changes == 1);
}

static bool is_method(const char *word)
{
    static const char *const families[] = {"all", "recentred", "networks", "end-to-end"};
    for (size_t i = 0; congru_aligner_name(i) != NULL; i++)
        if (strcmp(congru_aligner_name(i), word) == 0)
            return true;
    for (size_t i = 0; congru_classifier_name(i) != NULL; i++)
        if (strcmp(congru_classifier_name(i), word) == 0)
            return true;
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i], word) == 0)
            return true;
    return false;
}

TEST(users_are_methods)
{
    for (size_t i = 0; row_at(i) != NULL; i++) {
        char words[256];
        snprintf(words, sizeof words, "%s", row_at(i)->users);
        for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
            CHECK_SAYING(is_method(word), "--%s: '%s' is no method", row_at(i)->option.name, word);
    }
}

static void check_options_of(const char *pipeline, const char *expected)
{
    char list[1024] = "";
    const congru_method_option *row;
    for (size_t i = 0; (row = congru_pipeline_option(pipeline, i)) != NULL; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? " " : "", row->option.name);
    CHECK_SAYING(strcmp(list, expected) == 0, "%s uses %s", pipeline, list);
}

/* What is chosen is kept in the words in which values are printed; what cannot be chosen is told in a line. */
TEST(what_is_chosen_is_a_list_of_values)
{
    congru_method_options options;
    congru_method_options_init(&options);
    check_set(&options, "choose", " lambda-sub = 0.050,1e-1 ;keep=last, best; unconstrained=off,on");
    check_get(&options, "choose", "lambda-sub=0.05,0.1; keep=last,best; unconstrained=off,on");
    CHECK(congru_method_options_chooses(&options, congru_method_option_find("keep")));
    CHECK(!congru_method_options_chooses(&options, congru_method_option_find("steps")));
    check_set(&options, "choose", "signal-band=8:30,4:38,off; weights");
    check_get(&options, "choose", "signal-band=8:30,4:38,off; weights");
    check_refused("choose", "lambda-sb=1,2",
                  "here lambda-sb: no such option of a method (did you mean lambda-sub?)");
    check_refused("choose", "lambda-sub=1", "here lambda-sub: has one value; there is nothing to choose");
    check_refused("choose", "lambda-sub=1,1.0", "here lambda-sub: has a value twice");
    check_refused("choose", "lambda-sub", "here lambda-sub: wants values to choose from, OPTION=V1,V2,...");
    check_refused("choose", "lambda-sub=1,",
                  "here lambda-sub: wants values with commas between, none of them empty");
    check_refused("choose", "subject-dropout=0,1", "here subject-dropout is 1; it must be between 0 and 0.99");
    check_refused("choose", "steps=1,2; steps=3,4", "here steps: is given twice");
    check_refused("choose", "C=auto,1", "here C: is chosen from numbers");
    check_refused("choose", "dims=4,2", "here dims: is a list itself, and cannot be chosen");
    check_refused("choose", "cp=1,2", "here cp: stands for a value of another option (choose that)");
    for (size_t i = 0; row_at(i) != NULL; i++)
        if (row_at(i)->fixed != NULL) {
            char text[128], words[256];
            snprintf(text, sizeof text, "%s=1,2", row_at(i)->option.name);
            snprintf(words, sizeof words, "here %s: %s", row_at(i)->option.name, row_at(i)->fixed);
            check_refused("choose", text, words);
        }
}

TEST(pipelines_have_their_options)
{
    check_options_of("ra+tslr", "seed balance choose ra-mean tangent-mean C");
    check_options_of("none+mdm", "seed balance choose mdm-mean mdm-metric");
    check_options_of("rpa+csp-lda", "seed balance choose ra-mean csp-filters rpa-labels");
    check_options_of("ra+nothing", "");
    CHECK(congru_pipeline_among("dct+mdm", "networks") && !congru_pipeline_among("ra+mdm", "networks"));
    CHECK(congru_pipeline_among("dct-e2e", "mdm end-to-end") &&
          !congru_pipeline_among("dct+mdm", "end-to-end"));
    CHECK(!congru_pipeline_among("dct+mdm", "dc md dctx") && !congru_pipeline_among(NULL, "all"));
}

int main(void)
{
    return context_main(&context, NULL);
}
