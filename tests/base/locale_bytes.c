/* What the library writes and reads under a locale with decimal commas, or with a dotless i. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number_text.h"
#include "congru/congru.h"
#include "harness.h"
#include "scratch.h"
#include "set_samples.h"

static congru_context *context;
static const char folder[] =
    "."; /* files name each other: each locale's have a folder, which is the working one */
static size_t compared;
static const char *other; /* the folder that files are compared with */

/* In place of the C library's: times are written into files, which are compared byte by byte. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){.tv_sec = 1};
    return 0;
}

static const char *in_folder(const char *name)
{
    static char path[4][600];
    static size_t next;
    char *made = path[next++ % 4];
    snprintf(made, sizeof path[0], "%s/%s", folder, name);
    return made;
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    CHECK_SAYING(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "cannot write %s",
                 name);
}

static void succeeds(congru_status status, const char *what)
{
    CHECK_SAYING(status == CONGRU_OK, "%s: %s", what, congru_context_error(context));
}

/* ---- What a program does with the library ---------------------------------------------------------------- */

static void evaluate(const congru_set *set)
{
    static const char *const pipelines[] = {"ra+mdm", "ra+tslr", "dct-e2e"};
    congru_evaluation_options options;
    congru_results *results = NULL;
    congru_summary summary[3] = {{0}};
    congru_evaluation_options_init(&options);
    options.pipelines = pipelines;
    options.pipeline_count = 3;
    options.folder = in_folder("run");
    options.method.network.steps = 5;
    options.method.network.record = true;
    succeeds(congru_evaluate(context, set, &options, &results), "evaluate");
    congru_results_destroy(&results);
    succeeds(congru_evaluate(context, set, &options, &results), "evaluate again");
    CHECK(results != NULL && results->resumed == results->folds);
    congru_results_destroy(&results);
    succeeds(congru_results_read(context, options.folder, &results), "read the results");
    if (results != NULL)
        succeeds(congru_results_summarise(context, results, summary), "summarise");
    put("summary", summary, sizeof summary);
    congru_results_destroy(&results);
}

static void use_model(const congru_set *set)
{
    congru_model_options options;
    congru_model *model = NULL;
    congru_predictions *made = NULL;
    congru_model_options_init(&options);
    options.pipeline = "dct-e2e";
    options.method.network.steps = 5;
    succeeds(congru_model_fit(context, set, &options, &model), "fit");
    if (model != NULL)
        succeeds(congru_model_save(context, model, in_folder("model")), "save");
    congru_model_destroy(&model);
    succeeds(congru_model_load(context, in_folder("model"), &model), "load");
    if (model != NULL)
        succeeds(congru_model_predict(context, model, set, NULL, &made), "predict");
    if (made != NULL)
        succeeds(congru_predictions_write(context, made, model, set, "made", in_folder("answers.csv")),
                 "write answers");
    congru_predictions_destroy(&made);
    congru_model_destroy(&model);
}

static void put_text(const char *name, const char *kind, congru_status status, char **text)
{
    char file[128];
    if (status == CONGRU_OK) {
        snprintf(file, sizeof file, "report-%s.%s", name, kind);
        put(file, *text, strlen(*text));
    }
    congru_report_text_destroy(text);
}

static void report(void)
{
    static const char *const kinds[] = {"csv", "tex", "html"};
    const char *run = in_folder("run"), *name;
    congru_report *made = NULL;
    congru_drawing *drawing = NULL;
    char *text = NULL;
    succeeds(congru_report_create(context, &run, 1, &made), "report");
    if (made == NULL)
        return;
    put_text("page", "all", congru_report_page(context, made, &text), &text);
    put_text("data", "json", congru_report_json(context, made, &text), &text);
    for (size_t i = 0; (name = congru_report_table_name(i, NULL)) != NULL; i++)
        for (int kind = 0; kind < 3; kind++)
            put_text(name, kinds[kind],
                     congru_report_table(context, made, name, NULL, (congru_table_format)kind, &text), &text);
    for (size_t i = 0; (name = congru_report_figure_name(i, NULL)) != NULL; i++) {
        if (congru_report_figure(context, made, name, NULL, &drawing) == CONGRU_OK)
            put_text(name, "svg", congru_drawing_svg(context, drawing, &text), &text);
        congru_drawing_destroy(&drawing);
    }
    congru_report_destroy(&made);
}

static void put_recording(const char *path, const char *name)
{
    congru_recording *recording = NULL;
    succeeds(congru_recording_read(context, path, NULL, &recording), path);
    if (recording != NULL) {
        CHECK(recording->channels > 0 && recording->samples > 0);
        put(name, recording->data, recording->channels * recording->samples * sizeof(double));
    }
    congru_recording_destroy(&recording);
}

static void read_files(void)
{
    static const char header[] =
        "Brain Vision Data Exchange Header File Version 1.0\r\n[COMMON INFOS]\r\nDATAFILE=b.eeg\r\n"
        "MARKERFILE=b.vmrk\r\nNUMBEROFCHANNELS=2\r\nSAMPLINGINTERVAL=3906.25\r\nDATAFORMAT=BINARY\r\n"
        "DATAORIENTATION=MULTIPLEXED\r\n[BINARY INFOS]\r\nBINARYFORMAT=INT_16\r\n"
        "[CHANNEL INFOS]\r\nCH1=FZ,,0.0488281\r\nCH2=PZ,,1.5e-1\r\n";
    static const char markers[] = "Brain Vision Data Exchange Marker File, Version 1.0\r\n[MARKER INFOS]\r\n"
                                  "MK1=Stimulus,S  7,1,1,0\r\n";
    static const unsigned char samples[] = "0123456789abcdef";
    put("b.vhdr", header, sizeof header - 1);
    put("b.vmrk", markers, sizeof markers - 1);
    put("b.eeg", samples, sizeof samples - 1);
    put_recording(in_folder("b.vhdr"), "b.read");
    congru_synth_options options;
    congru_set *set = NULL, *again = NULL;
    congru_synth_options_init(&options);
    options.subjects = 2;
    options.trials = 2;
    options.channels = 5;
    options.samples = 128;
    options.rate = 64;
    options.alpha = 0.75;
    succeeds(congru_synth(context, &options, &set), "synth");
    if (set != NULL) {
        succeeds(congru_synth_write_edf(context, set, folder), "write EDF");
        succeeds(congru_set_write(context, in_folder("set.npz"), set), "write a set");
        succeeds(congru_set_read(context, in_folder("set.npz"), &again), "read a set");
    }
    if (again != NULL)
        succeeds(congru_set_write(context, in_folder("again.npz"), again), "write a set again");
    put_recording(in_folder("S01.edf"), "edf.read");
    congru_set_destroy(&set);
    congru_set_destroy(&again);
}

static void fail_with_numbers(void)
{
    congru_iir filter = {0};
    CHECK(congru_iir_butterworth(context, 4, 8.5, 7.25, 100.5, &filter) == CONGRU_ERROR_ARGUMENT);
    put("error", congru_context_error(context), strlen(congru_context_error(context)));
}

static void work(const char *name)
{
    static const set_recipe small = {
        .subjects = 3, .classes = 2, .per_class = 8, .d = 3, .sessions = 1, .effect = 0.5, .seed = 2};
    CHECK(mkdir(path_in(name), 0777) == 0 && chdir(path_in(name)) == 0);
    congru_set *set = sample_set(context, &small);
    evaluate(set);
    use_model(set);
    report();
    read_files();
    fail_with_numbers();
    congru_set_destroy(&set);
}

/* ---- Comparing ------------------------------------------------------------------------------------------- */

static char *file_bytes(const char *path, size_t *size)
{
    enum { MOST = 1 << 22 };
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(MOST);
    *size = file != NULL && bytes != NULL ? fread(bytes, 1, MOST, file) : (size_t)-1;
    if (file != NULL)
        fclose(file);
    return bytes;
}

static int compare_entry(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about, (void)place;
    if (kind != FTW_F)
        return 0;
    char twin[800];
    snprintf(twin, sizeof twin, "%s%s", other, path + strlen(folder));
    size_t size, twin_size;
    char *bytes = file_bytes(path, &size), *twin_bytes = file_bytes(twin, &twin_size);
    CHECK_SAYING(size == twin_size && memcmp(bytes, twin_bytes, size) == 0, "%s differs from %s", path, twin);
    compared++;
    free(bytes);
    free(twin_bytes);
    return 0;
}

/* ---- Tests ----------------------------------------------------------------------------------------------- */

/* Makes the locale from Debian's package "locales" and sets it; false when this machine cannot. */
static bool enter(const char *name)
{
    char command[1400], full[32];
    snprintf(full, sizeof full, "%s.UTF-8", name);
    snprintf(command, sizeof command, "localedef -i %s -f UTF-8 '%s' >'%s' 2>&1", name, path_in(full),
             path_in("localedef.txt"));
    bool made = system(command) == 0;
    return made && setlocale(LC_ALL, full) != NULL;
}

static void files_are_those_of(const char *locale)
{
    char plain[512];
    snprintf(plain, sizeof plain, "%s", path_in("C"));
    other = plain;
    if (!enter(locale)) {
        SKIP("localedef cannot make the locale (install Debian's package locales)");
        return;
    }
    char probe[16];
    snprintf(probe, sizeof probe, "%g", 0.5);
    CHECK_SAYING(strcmp(probe, "0,5") == 0, "%s writes %s", locale, probe);
    work(locale);
    snprintf(probe, sizeof probe, "%g", 0.5);
    CHECK_SAYING(strcmp(probe, "0,5") == 0, "the library left another locale: %s", probe);
    compared = 0;
    nftw(folder, compare_entry, 8, FTW_PHYS);
    CHECK_SAYING(compared > 45, "%zu files were compared", compared);
    setlocale(LC_ALL, "C");
}

TEST(german_files_are_the_same)
{
    files_are_those_of("de_DE");
}

TEST(turkish_files_are_the_same)
{
    files_are_those_of("tr_TR");
}

/* A locale that belongs to a thread alone stays with it. */
TEST(a_thread_keeps_its_own_locale)
{
    char text[16];
    locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(own);
    CHECK(congru_format(text, sizeof text, "%.3f", 0.5) == 5 && strcmp(text, "0.500") == 0);
    CHECK(congru_number_read("0.25,", NULL) == 0.25);
    CHECK(uselocale((locale_t)0) == own);
    uselocale(before);
    CHECK(congru_same_letters("TITLE", "title", 5) && !congru_same_letters("T\xc4\xb0", "ti\xb0", 3));
}

int main(void)
{
    if (!scratch_open() || congru_context_create(&context, NULL) != CONGRU_OK)
        return 1;
    setenv("LOCPATH", scratch_folder(), 1);
    work("C");
    harness_run_all();
    congru_context_destroy(&context);
    scratch_close();
    return harness_end();
}
