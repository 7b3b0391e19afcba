/* Prints manual pages as mdoc. SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Running text, a sentence to a line as mdoc wants it; no line may begin with a dot or an apostrophe. */
static void print_text(const char *text)
{
    bool begins = true;
    for (; *text != '\0'; text++) {
        if (begins && (*text == '.' || *text == '\''))
            printf("\\&");
        begins =
            *text == '\n' || (strchr(".:", *text) != NULL && text[1] == ' ' && isupper((unsigned char)text[2]));
        printf("%c%s", *text, *text == '\\' ? "e" : "");
        if (begins && *text != '\n') {
            printf("\n");
            text++;
        }
    }
    printf("\n");
}

static void print_upper(const char *text)
{
    for (; *text != '\0'; text++)
        printf("%c", toupper((unsigned char)*text));
}

static void print_options(const command *about)
{
    for (const option_table *table = &about->options; table != NULL; table = table->more) {
        printf(".Ss %s\n.Bl -tag -width Ds\n", table->title != NULL ? table->title : "Options");
        const option *own;
        for (size_t i = 0; (own = options_own(table, i)) != NULL; i++) {
            printf(".It ");
            if (own->letter != '\0')
                printf("Fl %c , ", own->letter);
            printf("Fl -%s", own->name);
            printf(own->argument != NULL ? " Ar %s\n" : "\n", own->argument);
            print_text(own->help);
        }
        printf("%s.El\n", table->more == NULL ? ".It Fl h , Fl -help\nPrint a summary and exit.\n" : "");
    }
}

static void print_head(const char *name)
{
    printf(".\\\" Made by 'congru help --man%s%s'. SPDX-License-Identifier: Apache-2.0\n.Dd November 17, "
           "2026\n.Dt CONGRU",
           name != NULL ? " " : "", name != NULL ? name : "");
    if (name != NULL) {
        printf("-");
        print_upper(name);
    }
    printf(" 1\n.Os\n.Sh NAME\n");
}

static const char about_options[] = "Options may stand anywhere after the command; '--' ends them. A value "
                                    "follows its option as the next word or after "
                                    "an equals sign. Every command understands --help and -h.";

static const char about_files[] =
    "A file that is written appears under its name only when it is complete: it is written beside it, flushed "
    "to the disk, and renamed. What is not a regular file, such as a pipe or /dev/stdout, is written to "
    "directly. The same input and options give the same bits, with any number of threads and any instruction "
    "set.";

static const definition environment[] = {
    {"CONGRU_CPU",
     "The instruction set to use, one of those 'congru version' lists. By default it is the fastest the "
     "machine has."},
    {"CONGRU_LARGE", "The size in megabytes beyond which arrays, those of a set among them, are temporary "
                     "files; by default a 32nd of the machine's memory, and 64 at least. A set may then be "
                     "larger than memory."},
    {"TMPDIR", "Where those temporary files are, which have no name; /var/tmp by default."},
    {"COLUMNS", "How wide to print help and tables. By default it is as wide as the terminal, or 80."},
};

static const char about_errors[] =
    "0 when all went well; 1 when a file or its contents were at fault, after one line 'congru: FILE: what is "
    "wrong (what to do)' on standard error and without an output file; 2 for a wrong command line.";

void manual_print_all(void)
{
    print_head(NULL);
    printf(
        ".Nm congru\n.Nd decode motor imagery from the EEG of subjects it has never seen\n.Sh SYNOPSIS\n.Nm\n"
        ".Ar command\n.Op Ar option ...\n.Op Ar file ...\n.Sh DESCRIPTION\nThe commands, each with a page of "
        "its own:\n.Bl -tag -width reproduce\n");
    for (size_t i = 0; commands[i] != NULL; i++)
        printf(".It Xr congru-%s 1\n%s.\n", commands[i]->name, commands[i]->summary);
    printf(".El\n.Pp\n");
    print_text(about_options);
    printf(".Pp\n");
    print_text(about_files);
    printf(".Sh ENVIRONMENT\n.Bl -tag -width CONGRU_LARGE\n");
    for (size_t i = 0; i < sizeof environment / sizeof *environment; i++) {
        printf(".It Ev %s\n", environment[i].term);
        print_text(environment[i].text);
    }
    printf(".El\n.Sh EXIT STATUS\n");
    print_text(about_errors);
}

void manual_print(const command *about)
{
    print_head(about->name);
    printf(".Nm congru-%s\n.Nd %s\n.Sh SYNOPSIS\n.Nm congru Cm %s\n%s%s.Sh DESCRIPTION\n", about->name,
           about->summary, about->name, about->usage, about->usage[0] != '\0' ? "\n" : "");
    print_text(about->description);
    if (about->definitions != NULL) {
        printf(".Ss %s\n.Bl -tag -width Ds\n", about->definitions->title);
        for (size_t i = 0; about->definitions->at(i).term != NULL; i++) {
            printf(".It Cm %s\n", about->definitions->at(i).term);
            print_text(about->definitions->at(i).text);
        }
        printf(".El\n");
    }
    print_options(about);
    printf(".Sh EXIT STATUS\n0 when all went well, 1 after a failure, 2 for a wrong command line.\n");
    if (about->examples != NULL)
        printf(".Sh EXAMPLES\n");
    for (size_t i = 0; about->examples != NULL && about->examples[i] != NULL; i++)
        printf(".Dl %s\n", about->examples[i]);
    printf(".Sh SEE ALSO\n.Xr congru 1\n");
}
