/* Prints manual pages as mdoc. SPDX-License-Identifier: Apache-2.0 */
#include "manual.h"

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

void manual_print(const command *about)
{
    printf(".\\\" Made by 'congru help --man %s'. SPDX-License-Identifier: Apache-2.0\n.Dd November 16, 2026\n"
           ".Dt CONGRU-",
           about->name);
    print_upper(about->name);
    printf(" 1\n.Os\n.Sh NAME\n.Nm congru-%s\n.Nd %s\n.Sh SYNOPSIS\n.Nm congru Cm %s\n%s%s.Sh DESCRIPTION\n",
           about->name, about->summary, about->name, about->usage, about->usage[0] != '\0' ? "\n" : "");
    print_text(about->description);
    if (about->definitions != NULL) {
        printf(".Ss %s\n.Bl -tag -width Ds\n", about->definitions_title);
        for (size_t i = 0; about->definitions(i).term != NULL; i++) {
            printf(".It Cm %s\n", about->definitions(i).term);
            print_text(about->definitions(i).text);
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
