/* congru import: recordings and trials into one covariance set. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "congru/congru.h"
#include "session.h"
#include "set_load.h"
#include "table_show.h"
#include "terminal.h"

static const option options[] = {
    {"output", 'o', "SET.npz", "Where the set goes; needed. It appears only when it is complete."},
    {"preset", '\0', "NAME|FILE",
     "What is known of a public dataset, as defaults for the options below; 'congru presets' lists "
     "them. A NAME with a slash or ending in .txt is a file of your own. Default: none."},
    {"like", '\0', "MODEL.safetensors",
     "Do to the files what was done to those this model was fitted on; as a preset does, it gives "
     "defaults for the options below. Default: none."},
    {"jobs", '\0', "N",
     "How many files to read at a time; the set is the same with any number. Default: 0, one for each "
     "processor."},
};

static const option_table signal_table = {.options = congru_preprocessing_options,
                                          .count = CONGRU_PREPROCESSING_OPTIONS,
                                          .title = "What is done to the signals"};
static const option_table import_table = {.options = congru_import_options,
                                          .count = CONGRU_IMPORT_OPTIONS,
                                          .title = "Trials and files",
                                          .more = &signal_table};

static congru_status write_set(congru_context *context, const char *path, const congru_set *set)
{
    session_hold_interrupts(path);
    congru_status status = congru_set_write(context, path, set);
    session_release_interrupts();
    return status;
}

static bool show_progress(void *user, size_t done, size_t total)
{
    (void)user;
    terminal_progress(done, total, "files");
    return true;
}

/* Gives the importer every option of these tables that is on the command line. */
static int set_options(const arguments *parsed, congru_context *context, congru_import *import)
{
    const option *at;
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && (at = options_at(&import_table, i)) != NULL; i++)
        if (options_given(parsed, at->name))
            status = congru_import_set(context, import, at->name, options_value(parsed, at->name));
    if (status == CONGRU_OK)
        status = congru_preprocessing_check(context, congru_import_preprocessing(import));
    return status == CONGRU_OK ? EXIT_DONE : option_fail(context, "import", status);
}

static int apply_preset(const char *name, congru_context *context, congru_import *import)
{
    congru_status status = congru_import_preset(context, import, name);
    if (status == CONGRU_OK)
        return EXIT_DONE;
    if (preset_is_unknown(name))
        return preset_fail_unknown("import", name);
    return terminal_fail(status == CONGRU_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_FAILED, "%s",
                         congru_context_error(context));
}

static int apply_model(const char *path, congru_context *context, congru_import *import)
{
    congru_model *model = NULL;
    int code = model_load(context, path, &model);
    if (code == EXIT_DONE &&
        congru_import_like(context, import, congru_model_preprocessing(model), model_meta(model)) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    congru_model_destroy(&model);
    return code;
}

/* A line that begins at the margin, with names out of files. */
static void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void print_line(const char *format, ...)
{
    char line[4200];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    terminal_clean(line);
    terminal_wrap(line, 0, 2, "");
}

/* The table of files, how subjects were told apart, and what was done to the signals. */
static int print_summary(congru_context *context, const char *output, const congru_import_summary *summary,
                         const congru_set *set)
{
    const char *slash = strrchr(output, '/');
    congru_table table = {0};
    int code = congru_table_of_import(context, summary, set, &table) == CONGRU_OK
                   ? EXIT_DONE
                   : terminal_fail(EXIT_FAILED, "import: %s", congru_context_error(context));
    const size_t notes = table.notes;
    table.notes = 0; /* they are wrapped here */
    if (code == EXIT_DONE)
        code = table_show(&table, 0);
    table.notes = notes;
    for (size_t i = 0; code == EXIT_DONE && i < notes; i++)
        print_line("%s", table.note[i]);
    congru_table_clear(&table);
    if (code != EXIT_DONE)
        return code;
    print_line("subjects: %s", summary->subjects_from);
    print_line("signals: %s", summary->preprocessing);
    print_line("%s: %s, %s, %s, %zu x %zu", slash != NULL ? slash + 1 : output,
               congru_count(set->count, "trial").text, congru_count(set->subjects, "subject").text,
               congru_count(set->classes, "class").text, set->dimension, set->dimension);
    for (size_t i = 0; congru_context_note(context, i) != NULL; i++)
        terminal_wrap(congru_context_note(context, i), 0, 2, "");
    return EXIT_DONE;
}

static int import(const arguments *parsed, congru_context *context, congru_import *importer)
{
    const char *output = options_value(parsed, "output");
    congru_set *set = NULL;
    congru_import_summary *summary = NULL;
    struct stat about;
    int code = EXIT_DONE;
    if (options_given(parsed, "preset"))
        code = apply_preset(options_value(parsed, "preset"), context, importer);
    if (code == EXIT_DONE && options_given(parsed, "like"))
        code = apply_model(options_value(parsed, "like"), context, importer);
    if (code == EXIT_DONE)
        code = set_options(parsed, context, importer);
    if (code == EXIT_DONE && stat(output, &about) == 0 && !S_ISREG(about.st_mode))
        code = terminal_fail(EXIT_FAILED, "%s: not a regular file; a set cannot be written to it", output);
    if (code != EXIT_DONE)
        return code;
    congru_status status = congru_import_run(context, importer, (const char *const *)parsed->operands,
                                             parsed->operand_count, &set, &summary);
    terminal_progress_end();
    if (status == CONGRU_OK)
        status = write_set(context, output, set);
    code = status == CONGRU_OK ? print_summary(context, output, summary, set)
                               : terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    congru_import_summary_destroy(&summary);
    congru_set_destroy(&set);
    return code;
}

static int run(const arguments *parsed)
{
    congru_context *context = NULL;
    congru_import *importer = NULL;
    int jobs = 0;
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "import: the files to import are missing (see 'congru help import')");
    if (!options_given(parsed, "output"))
        return terminal_fail(EXIT_USAGE, "import: --output SET.npz is missing (see 'congru help import')");
    int code = options_integer(parsed, "jobs", 0, 0, CONGRU_THREADS_MAX, &jobs);
    if (code == EXIT_DONE)
        code =
            session_open_with(&(congru_context_options){.threads = jobs, .progress = show_progress}, &context);
    if (code == EXIT_DONE)
        code = congru_import_create(context, &importer) == CONGRU_OK
                   ? import(parsed, context, importer)
                   : terminal_fail(EXIT_FAILED, "import: not enough memory");
    congru_import_destroy(&importer);
    congru_context_destroy(&context);
    return code;
}

static const char *const examples[] = {
    "congru import A0*T.gdf --preset bnci2014-001 -o 2a.npz",
    "congru import S*R04.edf S*R08.edf S*R12.edf --preset eegmmidb -o fists.npz",
    ("congru import run*.vhdr --events 'S  1=left,S  2=right' --channels C3,Cz,C4 --subject-from "
     "'run*_{subject}' -o set.npz"),
    "congru import B0*.npz --band off --notch off --window all --estimator oas -o 2b.npz",
    NULL,
};

const command command_import = {
    .name = "import",
    .summary = "Make a covariance set from recordings",
    .usage = "FILE... -o SET.npz [OPTION...]",
    .description =
        "Reads recordings (GDF, EDF, BDF, BrainVision .vhdr, BNCI .mat, EEGLAB .set, XDF, FIF, and text: CSV, TSV "
        "and OpenBCI's, a sample to a line, with names of columns in the first) and files of "
        "trials (.npz, .mat, EEGLAB .set, FIF epochs of MNE), filters them, cuts trials around events, and "
        "writes their covariances with labels and subjects as one .npz, which NumPy opens. A trial whose "
        "window leaves the recording is dropped. Of text, columns named marker, label, event, trigger or class hold "
        "events, which begin where such a column begins to say something, and a column named time gives the rate. A "
        "table NAME_events.csv or NAME_events.tsv beside a recording of any kind, or BIDS's, with onset in "
        "seconds (or sample) and label or trial_type, takes the place of the events in it. Prints what became of the trials of each file, how subjects "
        "were told apart, and what was done to the signals.",
    .options = {OPTION_ROWS(options), .more = &import_table},
    .examples = examples,
    .run = run,
};
