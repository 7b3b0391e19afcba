/* congru import: recordings and trials into one covariance set. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "congru/congru.h"
#include "import_set.h"
#include "session.h"
#include "terminal.h"

const option import_options[IMPORT_OPTIONS] = {
    [IMPORT_OUTPUT] = {"output", 'o', "SET.npz",
                       "Where the set goes; needed. It appears only when it is complete."},
    [IMPORT_PRESET] =
        {"preset", '\0', "NAME|FILE",
         "What is known of a public dataset, as defaults for the options below; 'congru presets' lists "
         "them. A NAME with a slash or ending in .txt is a file of your own. Default: none."},
    [IMPORT_CHANNELS] =
        {"channels", '\0', "A,B,...",
         "The channels wanted, in that order; case and trailing dots do not matter. Default: all EEG "
         "channels of a recording, all of a file of trials."},
    [IMPORT_BAND] =
        {"band", '\0', "LO:HI",
         "The band-pass in Hz, zero phase; LO 0 makes it a low-pass; 'off' leaves it out. Default: 8:35."},
    [IMPORT_ORDER] = {"order", '\0', "N", "The order of the Butterworth band-pass, 1 to 10. Default: 4."},
    [IMPORT_FILTER] =
        {"filter", '\0', "NAME",
         "The band-pass: 'iir' (Butterworth, forward and backward) or 'fir' (linear phase, its delay "
         "removed). Default: iir."},
    [IMPORT_CAUSAL] = {"causal", '\0', NULL,
                       "Filter forward only, as a stream is filtered, instead of with zero phase: for models "
                       "that 'congru stream' is to use."},
    [IMPORT_NOTCH] = {"notch", '\0', "HZ", "The mains frequency to remove; 'off' leaves it in. Default: 50."},
    [IMPORT_HARMONICS] = {"harmonics", '\0', NULL, "Remove the multiples of the notch frequency, too."},
    [IMPORT_RATE] =
        {"rate", '\0', "HZ",
         "The rate of files of trials that do not say theirs. Default: unknown, which is an error where it "
         "is needed."},
    [IMPORT_RESAMPLE] = {"resample", '\0', "HZ",
                         "Bring every file to this rate, after the filters. Default: off."},
    [IMPORT_REFERENCE] =
        {"reference", '\0', "NAME",
         "'none', or 'average' to subtract the mean of the channels, which leaves covariances of one "
         "rank less: see --estimator. Default: none."},
    [IMPORT_WINDOW] =
        {"window", '\0', "A:B",
         "Seconds after the cue, the last excluded; 'all' takes trials that were cut already as they "
         "are. Default: 0.5:3.5."},
    [IMPORT_REST] = {"rest", '\0', NULL,
                     "Take the rest before each cue instead, from -B to -A, as the one class 'rest'."},
    [IMPORT_EVENTS] =
        {"events", '\0', "CODE=NAME,...",
         "Which events are trials, by code or by annotation text (TEXT=NAME), and of which class. In a "
         "file of trials it chooses and renames classes. Default: the preset's."},
    [IMPORT_REJECTED] =
        {"rejected", '\0', "NAME",
         "Trials the recording marks as rejected (code 1023): 'keep' or 'drop'. Default: keep."},
    [IMPORT_SUBJECT_FROM] =
        {"subject-from", '\0', "PATTERN",
         "Where the subject, and session and run, are in the name of a file: S{subject}R{run}. "
         "{subject:2} takes two characters, * anything. Default: the preset's, else the name "
         "without its extension is the subject."},
    [IMPORT_SESSION_FROM] = {"session-from", '\0', "PATTERN",
                             "The same for the session, if that takes a pattern of its own: *_ses{session}."},
    [IMPORT_ESTIMATOR] =
        {"estimator", '\0', "NAME",
         "Covariances: 'scm' (sample), 'oas' or 'lwf' (shrunk towards a multiple of the identity). "
         "Default: scm."},
    [IMPORT_TRACE_NORMALISE] = {"trace-normalise", '\0', "NAME",
                                "Divide each covariance by its trace: 'on' or 'off'. Default: off."},
    [IMPORT_KEEP_SIGNALS] = {"keep-signals", '\0', NULL, "Store the filtered trials beside their covariances."},
    [IMPORT_JOBS] =
        {"jobs", '\0', "N",
         "How many files to read at a time; the set is the same with any number. Default: 0, one for each "
         "processor."},
};

/* Long work should not end in a file that cannot be written: what can be seen beforehand is refused beforehand.
 * */
static int check_output(const char *path)
{
    char *folder = strdup(path);
    if (folder == NULL)
        return terminal_fail(EXIT_FAILED, "%s: not enough memory", path);
    struct stat about;
    bool exists = stat(path, &about) == 0;
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder] = '\0';
    int code = EXIT_DONE;
    if (exists && S_ISDIR(about.st_mode))
        code = terminal_fail(EXIT_FAILED, "%s: is a directory (name a file in it)", path);
    else if (exists && !S_ISREG(about.st_mode))
        code = terminal_fail(EXIT_FAILED, "%s: not a regular file; a set cannot be written to it", path);
    else if (access(exists ? path : slash != NULL ? folder : ".", W_OK) != 0)
        code = terminal_fail(EXIT_FAILED, "%s: cannot write: %s", path, strerror(errno));
    free(folder);
    return code;
}

/* Interrupted before this, nothing was written; interrupted during it, the process ends when the file is whole.
 * */
static congru_status write_set(congru_context *context, const char *path, const congru_set *set)
{
    sigset_t interrupts, before;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigaddset(&interrupts, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &interrupts, &before);
    congru_status status = congru_set_write(context, path, set);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static int import(const arguments *parsed, const import_settings *settings, import_file *files)
{
    const char *output = parsed->values[IMPORT_OUTPUT];
    size_t count = parsed->operand_count;
    congru_context *context = NULL;
    congru_set *set = NULL;
    int code = import_files_identify(settings, files, count);
    if (code == EXIT_DONE)
        code = session_open(settings->jobs, &context);
    if (code == EXIT_DONE)
        code = import_set_build(context, settings, files, count, congru_context_threads(context), &set);
    if (code == EXIT_DONE)
        code = import_set_describe(settings, files, count, set);
    if (code == EXIT_DONE && write_set(context, output, set) != CONGRU_OK)
        code = terminal_fail(EXIT_FAILED, "%s", congru_context_error(context));
    if (code == EXIT_DONE)
        code = import_set_summarise(output, files, count, set);
    congru_set_destroy(&set);
    congru_context_destroy(&context);
    return code;
}

static int run(const arguments *parsed)
{
    if (parsed->operand_count == 0)
        return terminal_fail(EXIT_USAGE, "import: the files to import are missing (see 'congru help import')");
    if (parsed->values[IMPORT_OUTPUT] == NULL)
        return terminal_fail(EXIT_USAGE, "import: --output SET.npz is missing (see 'congru help import')");
    import_settings settings;
    int code = import_settings_parse(parsed, &settings);
    if (code == EXIT_DONE)
        code = check_output(parsed->values[IMPORT_OUTPUT]);
    if (code == EXIT_DONE) {
        import_file *files = calloc(parsed->operand_count, sizeof *files);
        for (size_t i = 0; files != NULL && i < parsed->operand_count; i++)
            files[i].path = parsed->operands[i];
        code = files != NULL ? import(parsed, &settings, files)
                             : terminal_fail(EXIT_FAILED, "import: not enough memory for %zu files",
                                             parsed->operand_count);
        free(files);
    }
    import_settings_clear(&settings);
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
    .description = "Reads recordings (GDF, EDF, BDF, BrainVision .vhdr, BNCI .mat) and files of trials (.npz, "
                   ".mat), filters them, "
                   "cuts trials around events, and writes their covariances with labels and subjects as one "
                   ".npz, which NumPy "
                   "opens. A trial whose window, or the rest before its cue, leaves the recording is dropped. "
                   "Prints what became "
                   "of the trials of each file.",
    .options = {.options = import_options, .count = IMPORT_OPTIONS},
    .examples = examples,
    .run = run,
};
