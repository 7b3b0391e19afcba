/* The same recording through every door: equal covariances, equal predictions. SPDX-License-Identifier: Apache-2.0 */
#include "congru/congru.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "scratch.h"

enum { SUBJECTS = 3, TRIALS = 12, RATE = 100 };

static congru_context *context;
static char path[SUBJECTS][512];
static const char *paths[SUBJECTS];

static void must(congru_status status)
{
    CHECK_SAYING(status == CONGRU_OK, "%s", congru_context_error(context));
}

static void make_recordings(void)
{
    congru_synth_options options;
    congru_set *set = NULL;
    congru_synth_options_init(&options);
    options.stage = CONGRU_SYNTH_ORIENTATION;
    options.subjects = SUBJECTS;
    options.trials = TRIALS;
    options.channels = 6;
    options.samples = 3 * RATE;
    options.rate = RATE;
    must(congru_synth(context, &options, &set));
    must(congru_synth_write_edf(context, set, scratch_folder()));
    congru_set_destroy(&set);
    for (int i = 0; i < SUBJECTS; i++) {
        char name[32];
        snprintf(name, sizeof name, "S%02d.edf", i + 1);
        snprintf(path[i], sizeof path[i], "%s", path_in(name));
        paths[i] = path[i];
    }
}

/* As a stream is filtered, so that all five can be compared. */
static congru_set *import_files(const char *const *files, size_t count, bool keep_signals)
{
    congru_import *import = NULL;
    congru_set *set = NULL;
    must(congru_import_create(context, &import));
    must(congru_import_set(context, import, "events", "c1=a,c2=b,c3=c,c4=d"));
    must(congru_import_set(context, import, "causal", ""));
    must(congru_import_set(context, import, "notch", "40"));
    must(congru_import_set(context, import, "window", "0.5:2.5"));
    if (keep_signals)
        must(congru_import_set(context, import, "keep-signals", ""));
    must(congru_import_run(context, import, files, count, &set, NULL));
    congru_import_destroy(&import);
    return set;
}

static bool same_covariances(const congru_set *a, const congru_set *b)
{
    return a->count == b->count && a->dimension == b->dimension &&
           memcmp(a->covariance, b->covariance, a->count * a->dimension * a->dimension * sizeof(double)) == 0;
}

/* The signals that import keeps, made covariances again. */
TEST(kept_signals_give_the_same)
{
    congru_preprocessing raw;
    congru_set *set = import_files(paths, SUBJECTS, true), *again = NULL;
    congru_set signals = *set;
    signals.covariance = NULL;
    must(congru_set_create_borrowing(context, &signals, &again));
    congru_preprocessing_init_raw(&raw);
    must(congru_set_preprocess(context, again, &raw));
    CHECK(same_covariances(set, again));
    congru_set_destroy(&again);
    congru_set_destroy(&set);
}

/* The recording as arrays, through the executor. */
TEST(arrays_give_the_same)
{
    static const congru_event_class events[] = {
        {-1, "c1", "a"}, {-1, "c2", "b"}, {-1, "c3", "c"}, {-1, "c4", "d"}};
    congru_set *set = import_files(paths, 1, false), *own = NULL;
    congru_recording *recording = NULL;
    congru_epochs *epochs = NULL;
    congru_epochs_report report;
    congru_preprocessing p;
    must(congru_set_preprocessing(context, set, &p));
    must(congru_recording_read(context, path[0], NULL, &recording));
    must(congru_preprocess_recording(context, &p, recording, events, 4, 0, &epochs, NULL, &report));
    must(congru_set_append(context, &own, epochs, "S01", &(congru_set_options){.estimator = p.estimator}));
    CHECK(same_covariances(set, own));
    congru_preprocessing_clear(&p);
    congru_set_destroy(&own);
    congru_epochs_destroy(&epochs);
    congru_recording_destroy(&recording);
    congru_set_destroy(&set);
}

static congru_model *train(const congru_set *set)
{
    congru_model_options options;
    congru_model *model = NULL;
    int32_t last = SUBJECTS - 1;
    congru_model_options_init(&options);
    options.pipeline = "ra+mdm";
    options.without = &last;
    options.without_count = 1;
    must(congru_model_fit(context, set, &options, &model));
    return model;
}

static const char *meta_of(const congru_model *model)
{
    const char *name, *text;
    for (size_t i = 0; congru_model_text(model, i, &name, &text); i++)
        if (strcmp(name, "preprocessing") == 0)
            return text;
    return NULL;
}

/* A recording that nothing is said of but the model. */
TEST(a_model_tells_how)
{
    congru_set *all = import_files(paths, SUBJECTS, false), *direct = import_files(paths + 2, 1, false),
               *like = NULL;
    congru_model *model = train(all);
    congru_import *import = NULL;
    must(congru_import_create(context, &import));
    must(congru_import_like(context, import, congru_model_preprocessing(model), meta_of(model)));
    must(congru_import_run(context, import, paths + 2, 1, &like, NULL));
    CHECK(same_covariances(direct, like));
    congru_import_destroy(&import);
    congru_set_destroy(&like);
    congru_set_destroy(&direct);
    congru_set_destroy(&all);
    congru_model_destroy(&model);
}

/* Decisions of a stream at the ends of the trials' windows, and predictions that know nothing of the target. */
TEST(a_stream_decides_as_the_set)
{
    congru_set *all = import_files(paths, SUBJECTS, false), *one = import_files(paths + 2, 1, false);
    congru_model *model = train(all);
    congru_prediction_options asking = {.target = CONGRU_TARGET_NONE};
    congru_predictions *answers = NULL;
    congru_recording *recording = NULL;
    congru_decoder_options options;
    congru_decoder *decoder = NULL;
    must(congru_model_predict(context, model, one, &asking, &answers));
    must(congru_recording_read(context, path[2], NULL, &recording));
    congru_decoder_options_init(&options);
    options.rate = 0;
    options.adaptation = CONGRU_ADAPT_NEVER;
    must(congru_decoder_create(context, model, &options, &decoder));
    const size_t d = recording->channels;
    double worst = 0, *frame = calloc(d, sizeof *frame);
    size_t at = 0, compared = 0;
    for (size_t e = 0; frame != NULL && answers != NULL && e < recording->events; e++) {
        size_t end = recording->event[e].onset + RATE * 5 / 2;
        congru_decision decision;
        for (size_t taken; at < end && at < recording->samples; at++) {
            for (size_t c = 0; c < d; c++)
                frame[c] = recording->data[c * recording->samples + at];
            must(congru_decoder_push(decoder, 1, frame, &taken, &decision));
        }
        must(congru_decoder_decide(decoder, &decision));
        for (size_t k = 0; compared < answers->count && decision.probability != NULL && k < answers->classes;
             k++)
            worst = fmax(worst,
                         fabs(decision.probability[k] - answers->probability[compared * answers->classes + k]));
        compared++;
    }
    CHECK(compared == one->count && compared == 4 * TRIALS);
    CHECK_SAYING(worst < 1e-9, "probabilities differ by %g", worst);
    free(frame);
    congru_decoder_destroy(&decoder);
    congru_recording_destroy(&recording);
    congru_predictions_destroy(&answers);
    congru_model_destroy(&model);
    congru_set_destroy(&one);
    congru_set_destroy(&all);
}

typedef struct telling {
    size_t calls, stop_at, last; /* the call that says stop; none: 0 */
    bool files;                  /* all calls counted files, and never back */
} telling;

static bool tell(void *user, size_t done, size_t total)
{
    telling *t = user;
    t->files = t->files && total == SUBJECTS && done >= t->last && done < total;
    t->last = done;
    return ++t->calls != t->stop_at;
}

/* Progress counts files, whatever is done to each, and a stop at any call is heard. */
TEST(progress_counts_files)
{
    telling all = {.files = true};
    for (size_t stop = 0; stop <= all.calls; stop++) {
        telling told = {.files = true, .stop_at = stop};
        congru_context *own = NULL;
        congru_import *import = NULL;
        congru_set *set = NULL;
        must(congru_context_create(
            &own, &(congru_context_options){.threads = 1, .progress = tell, .progress_user = &told}));
        must(congru_import_create(own, &import));
        must(congru_import_set(own, import, "events", "c1=a,c2=b,c3=c,c4=d"));
        must(congru_import_set(own, import, "notch", "off"));
        congru_status status = congru_import_run(own, import, paths, SUBJECTS, &set, NULL);
        CHECK(status == (stop == 0 ? CONGRU_OK : CONGRU_ERROR_CANCELLED) && (set != NULL) == (stop == 0));
        CHECK_SAYING(told.files, "a call of %zu did not count files", told.calls);
        CHECK(stop == 0 ? told.calls >= SUBJECTS : told.calls == stop);
        if (stop == 0)
            all = told;
        congru_set_destroy(&set);
        congru_import_destroy(&import);
        congru_context_destroy(&own);
    }
}

int main(void)
{
    if (congru_context_create(&context, NULL) != CONGRU_OK || !scratch_open())
        return 1;
    make_recordings();
    harness_run_all();
    scratch_close();
    congru_context_destroy(&context);
    return harness_end();
}
