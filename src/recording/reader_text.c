/* Reads samples as text: CSV, TSV and what OpenBCI's program writes. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_text.h"
#include "recording/header_text.h"
#include "recording/reader.h"
#include "recording/sample_text.h"

enum { LINE_MAX_SIZE = 1 << 20, COLUMNS_MAX = 10000, NONE = -1 };

static const double rate_tolerance =
    1e-3; /* how far a device's clock is from the whole number of Hz it is sold for */
static const double step_tolerance = 1.5; /* of the mean one: beyond it, a sample is missing */

/* ---- Lines --------------------------------------------------------------------------------------------- */

/* The lines of a file one by one, through a buffer; blank ones are passed over. */
typedef struct line_reader {
    congru_context *context;
    const congru_source *source;
    uint64_t offset; /* of what follows the buffer */
    char *buffer;
    size_t room, at, filled;
    size_t number; /* of the line, from 1 */
} line_reader;

static congru_status fail_line(const line_reader *r, const char *what)
{
    return congru_fail(r->context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s", r->source->name, r->number, what);
}

static congru_status open_lines(congru_context *context, const congru_source *source, line_reader *r)
{
    size_t room = source->size < LINE_MAX_SIZE ? (size_t)source->size : LINE_MAX_SIZE;
    *r = (line_reader){.context = context, .source = source, .room = room, .buffer = malloc(room + 1)};
    return r->buffer != NULL
               ? CONGRU_OK
               : congru_fail(context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it", source->name);
}

static void close_lines(line_reader *r)
{
    free(r->buffer);
}

static void rewind_lines(line_reader *r)
{
    r->offset = 0;
    r->at = r->filled = r->number = 0;
}

static congru_status fill(line_reader *r)
{
    memmove(r->buffer, r->buffer + r->at, r->filled - r->at);
    r->filled -= r->at;
    r->at = 0;
    uint64_t left = r->source->size - r->offset;
    size_t size = left < r->room - r->filled ? (size_t)left : r->room - r->filled;
    congru_status status = congru_source_read(r->context, r->source, r->offset, size, r->buffer + r->filled);
    r->offset += size;
    r->filled += size;
    return status;
}

/* The next line that holds something, to be changed at will; *line NULL: there is none. */
static congru_status next_line(line_reader *r, char **line)
{
    for (*line = NULL; *line == NULL;) {
        char *end = r->filled > r->at ? memchr(r->buffer + r->at, '\n', r->filled - r->at) : NULL;
        if (end == NULL && r->offset < r->source->size && (r->at > 0 || r->filled == 0)) {
            congru_status status = fill(r);
            if (status != CONGRU_OK)
                return status;
            continue;
        }
        if (end == NULL && r->at == r->filled)
            return CONGRU_OK;
        r->number++;
        if (end == NULL && r->offset < r->source->size)
            return fail_line(r, "longer than a line of samples can be (is it the right file?)");
        char *start = r->buffer + r->at;
        size_t size = (size_t)((end != NULL ? end : r->buffer + r->filled) - start);
        r->at += size + (end != NULL);
        while (size > 0 && start[size - 1] == '\r')
            size--;
        start[size] = '\0';
        if (strlen(start) != size)
            return fail_line(r, "holds a NUL byte");
        bool mark = r->number == 1 && strncmp(start, "\xef\xbb\xbf", 3) == 0;
        start += mark ? 3 : 0;
        *line = start[strspn(start, " \t")] != '\0' ? start : NULL;
    }
    return CONGRU_OK;
}

/* ---- What the beginning says ----------------------------------------------------------------------------- */

typedef struct text_column {
    congru_column_kind kind;
    double per_second; /* of a time column */
    double scale;      /* to microvolts */
    bool text;         /* its first field is no number */
    int32_t channel;   /* its place among the channels, or NONE */
    int32_t wanted;    /* its place among those that are read, or NONE */
    char *value;       /* of an event column: the last field's, NULL where that is none; */
    size_t event;      /* the event that it is, */
    size_t since;      /* and where it began */
} text_column;

typedef struct text_file {
    congru_context *context;
    const congru_recording_options *options;
    line_reader lines;
    bool openbci;
    char separator;
    double stated; /* samples per second in a line of comment, or 0 */
    size_t eeg;    /* channels that such a line counts, or 0, */
    size_t behind; /* and columns that it says come behind them */
    bool heading;
    size_t columns, channels;
    text_column *column; /* (columns) */
    congru_channel *channel;
    double rate; /* 0: unknown */
    size_t samples;
} text_file;

static congru_status fail_memory(const text_file *t)
{
    return congru_fail(t->context, CONGRU_ERROR_MEMORY, "%s: not enough memory to read it",
                       t->lines.source->name);
}

/* "%Sample Rate = 250.0 Hz": the number behind the words. */
static bool comment_number(const char *line, const char *words, double *number)
{
    const char *found = strstr(line, words);
    if (found == NULL)
        return false;
    found += strlen(words);
    return congru_header_number(found, strspn(found, " 0123456789."), number);
}

static void read_comment(text_file *t, const char *line)
{
    double number;
    t->openbci = t->openbci || strncmp(line, "%OpenBCI", 8) == 0;
    if (comment_number(line, "Sample Rate =", &number) && number > 0 && number <= 1e7)
        t->stated = number;
    if (comment_number(line, "Number of channels =", &number) && number >= 1 && number <= 1e6)
        t->eeg = (size_t)number;
    t->behind += strstr(line, "Last Column = Timestamp") != NULL ? 1
                 : strstr(line, "Accel Data") != NULL            ? 3
                                                                 : 0;
}

/* The first line that is no comment; NULL: there is none. */
static congru_status skip_comments(text_file *t, char **line)
{
    congru_status status = next_line(&t->lines, line);
    while (status == CONGRU_OK && *line != NULL && (**line == '%' || **line == '#')) {
        read_comment(t, *line);
        status = next_line(&t->lines, line);
    }
    return status;
}

static size_t count_fields(const char *line, char separator)
{
    size_t count = 1;
    for (bool quoted = false; *line != '\0'; line++) {
        quoted = *line == '"' ? !quoted : quoted;
        count += *line == separator && !quoted;
    }
    return count;
}

/* "C3 (uV)" is C3 in microvolts. */
static void take_unit(congru_channel *channel, double *scale)
{
    char *open = strrchr(channel->name, channel->name[strcspn(channel->name, "([")] == '[' ? '[' : '(');
    size_t size = strlen(channel->name);
    strcpy(channel->unit, "uV");
    if (open == NULL || open == channel->name || strchr(")]", channel->name[size - 1]) == NULL ||
        (size_t)(channel->name + size - open) - 1 > sizeof channel->unit)
        return;
    char unit[CONGRU_UNIT_SIZE];
    snprintf(unit, sizeof unit, "%.*s", (int)(channel->name + size - open) - 2, open + 1);
    size_t last = strlen(unit);
    if (last == 0 || congru_small_letter(unit[last - 1]) != 'v')
        return;
    strcpy(channel->unit, unit);
    *scale = congru_reader_microvolts(unit);
    *open = '\0';
    for (size = strlen(channel->name); size > 0 && channel->name[size - 1] == ' ';)
        channel->name[--size] = '\0';
}

/* What a column is by its name. Files of OpenBCI of before 2020 have none: a count, the channels, and other things. */
static void describe_column(text_file *t, size_t i, const char *name)
{
    text_column *column = &t->column[i];
    congru_channel *channel = &t->channel[i];
    *column = (text_column){.scale = 1, .per_second = 1, .channel = NONE, .wanted = NONE};
    congru_reader_copy_label(channel->name, sizeof channel->name, name, strlen(name));
    if (t->heading)
        column->kind = congru_sample_column(channel->name, &column->per_second);
    else if (t->openbci)
        column->kind = i > 0 && i <= t->eeg ? CONGRU_COLUMN_SIGNAL : CONGRU_COLUMN_OTHER;
    if (!t->heading && t->openbci && column->kind == CONGRU_COLUMN_SIGNAL)
        snprintf(channel->name, sizeof channel->name, "EXG Channel %zu", i - 1);
    channel->type =
        column->kind == CONGRU_COLUMN_SIGNAL ? congru_reader_guess_type(channel->name) : CONGRU_CHANNEL_OTHER;
    if (column->kind == CONGRU_COLUMN_SIGNAL)
        take_unit(channel, &column->scale);
}

static congru_status fail_fields(const text_file *t, size_t found)
{
    char what[96];
    snprintf(what, sizeof what, "%s, where the first has %zu", congru_count(found, "field").text, t->columns);
    return fail_line(&t->lines, what);
}

/* The boards have 16, 8 or 4 channels, between a count and what comments say comes behind. */
static size_t openbci_channels(const text_file *t)
{
    size_t most = t->columns > 1 + t->behind ? t->columns - 1 - t->behind : 1;
    return most >= 16 ? 16 : most >= 8 ? 8 : most >= 4 ? 4 : most;
}

static congru_status describe_columns(text_file *t, char *line)
{
    t->separator = congru_sample_separator(line);
    t->heading = congru_sample_is_heading(line, t->separator);
    t->columns = count_fields(line, t->separator);
    if (t->eeg == 0 || t->eeg >= t->columns)
        t->eeg = openbci_channels(t);
    if (t->columns < 2)
        return fail_line(&t->lines, "expected columns with commas, semicolons or tabs between");
    if (t->columns > COLUMNS_MAX)
        return congru_fail(t->context, CONGRU_ERROR_UNSUPPORTED,
                           "%s: line %zu: %zu columns, where %d are the most", t->lines.source->name,
                           t->lines.number, t->columns, (int)COLUMNS_MAX);
    t->column = calloc(t->columns, sizeof *t->column);
    t->channel = calloc(t->columns, sizeof *t->channel);
    if (t->column == NULL || t->channel == NULL)
        return fail_memory(t);
    char *rest = line;
    for (size_t i = 0; i < t->columns; i++) {
        char *name = t->heading && rest != NULL ? congru_sample_field(&rest, t->separator) : "";
        describe_column(t, i, name);
    }
    return CONGRU_OK;
}

/* Columns of texts, as times of the day are, hold no signal. */
static congru_status find_texts(text_file *t, char *line)
{
    size_t i = 0;
    double number;
    for (char *rest = line; rest != NULL; i++) {
        char *field = congru_sample_field(&rest, t->separator);
        if (i < t->columns)
            t->column[i].text = !congru_sample_number(field, t->separator, &number);
    }
    return i == t->columns ? CONGRU_OK : fail_fields(t, i);
}

/* The columns that may be asked for as channels, moved together; their names told apart. */
static congru_status list_channels(text_file *t)
{
    for (size_t i = 0; i < t->columns; i++) {
        text_column *column = &t->column[i];
        if (column->text || column->kind == CONGRU_COLUMN_TIME || column->kind == CONGRU_COLUMN_EVENT)
            continue;
        column->channel = (int32_t)t->channels;
        if (t->channels < i)
            t->channel[t->channels] = t->channel[i];
        t->channels++;
    }
    return congru_reader_distinguish(t->context, t->lines.source->name, t->channel, t->channels);
}

static congru_status read_beginning(text_file *t)
{
    char *line;
    congru_status status = skip_comments(t, &line);
    if (status == CONGRU_OK && line == NULL)
        return congru_fail(t->context, CONGRU_ERROR_FORMAT, "%s: no line of samples in it",
                           t->lines.source->name);
    if (status != CONGRU_OK)
        return status;
    /* A heading is cut into names in place; a line of samples is looked at twice. */
    char *copy = malloc(strlen(line) + 1);
    if (copy == NULL)
        return fail_memory(t);
    strcpy(copy, line);
    status = describe_columns(t, copy);
    free(copy);
    if (status == CONGRU_OK && t->heading)
        status = next_line(&t->lines, &line);
    if (status == CONGRU_OK && line == NULL)
        return congru_fail(t->context, CONGRU_ERROR_FORMAT, "%s: names of columns, and no line of samples",
                           t->lines.source->name);
    if (status == CONGRU_OK)
        status = find_texts(t, line);
    return status == CONGRU_OK ? list_channels(t) : status;
}

/* ---- How many samples, and how many a second ---------------------------------------------------------------- */

/* What the steps of the time column are like, with the lines behind the least and the greatest. */
typedef struct time_steps {
    double first, last, least, greatest, per_second;
    size_t least_line, greatest_line;
} time_steps;

static void take_time(time_steps *steps, double time, size_t sample, size_t line)
{
    double step = time - steps->last;
    if (sample == 0) {
        *steps = (time_steps){.first = time, .per_second = steps->per_second};
    } else if (sample == 1 || !(step >= steps->least)) {
        steps->least = step;
        steps->least_line = line;
    }
    if (sample == 1 || (sample > 1 && !(step <= steps->greatest))) {
        steps->greatest = step;
        steps->greatest_line = line;
    }
    steps->last = time;
}

/* The whole number of Hz that is meant, else what the column says. */
static congru_status rate_of_times(text_file *t, const time_steps *steps)
{
    static const char remedy[] = "congru import --rate HZ takes the lines as evenly spaced";
    const double mean = (steps->last - steps->first) / (double)(t->samples - 1);
    const bool back = !(steps->least > 0);
    if (back || !(mean > 0) || !isfinite(mean) || steps->greatest > step_tolerance * mean)
        return congru_fail(
            t->context, CONGRU_ERROR_FORMAT,
            back
                ? "%s: line %zu: its time is %g s after that of the line before, where %g s are usual (%s)"
                : "%s: line %zu: its time is %g s after that of the line before, where %g s are usual: samples are "
                  "missing (%s)",
            t->lines.source->name, back ? steps->least_line : steps->greatest_line,
            (back ? steps->least : steps->greatest) / steps->per_second, mean / steps->per_second, remedy);
    t->rate = steps->per_second / mean;
    const double whole = floor(t->rate + 0.5);
    if (whole >= 1 && fabs(t->rate - whole) <= rate_tolerance * whole)
        t->rate = whole;
    return CONGRU_OK;
}

/* The numeric time column, or NONE. */
static size_t find_time(const text_file *t)
{
    for (size_t i = 0; i < t->columns; i++)
        if (t->column[i].kind == CONGRU_COLUMN_TIME && !t->column[i].text)
            return i;
    return SIZE_MAX;
}

/* Goes back to the first line of samples. */
static congru_status rewind_samples(text_file *t, char **line)
{
    rewind_lines(&t->lines);
    congru_status status = skip_comments(t, line);
    return status == CONGRU_OK && t->heading ? next_line(&t->lines, line) : status;
}

/* Every line is looked at here, so that it is known how many there are when memory is taken for them. */
static congru_status count_samples(text_file *t)
{
    const size_t time = t->stated > 0 ? SIZE_MAX : find_time(t);
    time_steps steps = {.per_second = time != SIZE_MAX ? t->column[time].per_second : 1};
    char *line;
    congru_status status = rewind_samples(t, &line);
    for (t->samples = 0; status == CONGRU_OK && line != NULL; t->samples++) {
        size_t i = 0;
        double number = (double)NAN;
        for (char *rest = line; rest != NULL; i++) {
            char *field = congru_sample_field(&rest, t->separator);
            if (i == time && !congru_sample_number(field, t->separator, &number))
                return fail_line(&t->lines, "its time is not a number");
        }
        if (i != t->columns)
            return fail_fields(t, i);
        if (time != SIZE_MAX)
            take_time(&steps, number, t->samples, t->lines.number);
        status = next_line(&t->lines, &line);
    }
    t->rate = t->stated;
    if (status != CONGRU_OK || t->stated > 0)
        return status;
    if (time != SIZE_MAX && t->samples > 1)
        status = rate_of_times(t, &steps);
    if (t->options->rate > 0 && (status == CONGRU_ERROR_FORMAT || !(t->rate > 0))) {
        t->rate = t->options->rate;
        return CONGRU_OK;
    }
    if (status == CONGRU_OK && !(t->rate > 0) && !t->options->header_only)
        status = congru_fail(
            t->context, CONGRU_ERROR_FORMAT,
            "%s: no column 'time' and no line that says how many samples a second (congru import takes "
            "--rate HZ, congru stream --input csv)",
            t->lines.source->name);
    return status;
}

/* ---- Samples and events --------------------------------------------------------------------------------- */

/* What an event is called: a whole number without ".0". */
static const char *plain_event(char *field, char separator, char number[32])
{
    double value;
    if (!congru_sample_number(field, separator, &value) || !(fabs(value) < 1e9) || floor(value) != value)
        return field;
    snprintf(number, 32, "%d", (int)value);
    return number;
}

static void end_event(text_column *column, congru_recording *recording, size_t sample)
{
    if (column->value != NULL && column->event < recording->events && sample - column->since > 1)
        recording->event[column->event].duration = sample - column->since;
    free(column->value);
    column->value = NULL;
}

/* An event begins where the column says something else than a line before. */
static congru_status take_event(const text_file *t, text_column *column, char *field, size_t sample,
                                congru_recording *recording)
{
    char number[32];
    const char *value = plain_event(field, t->separator, number);
    const bool none = congru_sample_is_no_event(value);
    if (column->value != NULL && !none && strcmp(column->value, value) == 0)
        return CONGRU_OK;
    end_event(column, recording, sample);
    if (none)
        return CONGRU_OK;
    column->event = recording->events;
    column->since = sample;
    column->value = malloc(strlen(value) + 1);
    if (column->value == NULL)
        return fail_memory(t);
    strcpy(column->value, value);
    return congru_reader_add_text(t->context, recording, sample, 0, value, strlen(value));
}

static congru_status fail_changed(const text_file *t)
{
    return congru_fail(t->context, CONGRU_ERROR_IO,
                       "%s: it was changed while it was read (run again when it is complete)",
                       t->lines.source->name);
}

static congru_status take_line(const text_file *t, char *line, size_t sample, congru_recording *recording)
{
    size_t i = 0;
    for (char *rest = line; rest != NULL; i++) {
        if (i == t->columns) /* the lines were counted before */
            return fail_changed(t);
        char *field = congru_sample_field(&rest, t->separator);
        text_column *column = &t->column[i];
        double number;
        congru_status status = CONGRU_OK;
        if (column->kind == CONGRU_COLUMN_EVENT)
            status = take_event(t, column, field, sample, recording);
        if (status != CONGRU_OK)
            return status;
        if (column->wanted == NONE || recording->data == NULL)
            continue;
        if (!congru_sample_number(field, t->separator, &number)) {
            char found[40];
            congru_reader_copy_label(found, sizeof found, field, strlen(field));
            return congru_fail(t->context, CONGRU_ERROR_FORMAT, "%s: line %zu: %s is '%s', expected a number",
                               t->lines.source->name, t->lines.number, recording->channel[column->wanted].name,
                               found);
        }
        number *= column->scale;
        recording->data[(size_t)column->wanted * recording->samples + sample] =
            isfinite(number) ? number : (double)NAN;
    }
    return i == t->columns ? CONGRU_OK : fail_changed(t);
}

static congru_status read_samples(text_file *t, congru_recording *recording)
{
    char *line;
    congru_status status = rewind_samples(t, &line);
    size_t sample = 0;
    for (; status == CONGRU_OK && line != NULL && sample < recording->samples; sample++) {
        status = take_line(t, line, sample, recording);
        if (status == CONGRU_OK)
            status = next_line(&t->lines, &line);
    }
    for (size_t i = 0; i < t->columns; i++)
        end_event(&t->column[i], recording, sample);
    congru_recording_sort_events(recording);
    return status == CONGRU_OK && sample < recording->samples ? fail_changed(t) : status;
}

static congru_status make_recording(text_file *t, congru_recording **recording)
{
    size_t room = t->options->channel_count > t->channels ? t->options->channel_count : t->channels, count;
    size_t *chosen = calloc(room + 1, sizeof *chosen);
    double rate;
    if (chosen == NULL)
        return fail_memory(t);
    for (size_t i = 0; i < t->channels; i++)
        t->channel[i].rate = t->rate > 0 ? t->rate : 1; /* they all have the same */
    congru_status status = congru_reader_choose(t->context, t->lines.source->name, t->channel, t->channels,
                                                t->options, chosen, &count, &rate);
    if (status == CONGRU_OK)
        status = congru_recording_create(t->context, t->lines.source->name, count, t->samples,
                                         t->options->header_only, recording);
    for (size_t i = 0; status == CONGRU_OK && i < count; i++) {
        (*recording)->channel[i] = t->channel[chosen[i]];
        (*recording)->channel[i].rate = t->rate;
        for (size_t k = 0; k < t->columns; k++)
            if (t->column[k].channel == (int32_t)chosen[i])
                t->column[k].wanted = (int32_t)i;
    }
    free(chosen);
    if (status != CONGRU_OK)
        return status;
    strcpy((*recording)->format, t->openbci ? "OpenBCI" : t->separator == '\t' ? "TSV" : "CSV");
    (*recording)->rate = t->rate;
    return read_samples(t, *recording);
}

static congru_status read_text(congru_context *context, const char *path, const congru_source *source,
                               const congru_recording_options *options, congru_recording **recording)
{
    text_file t = {.context = context, .options = options};
    (void)path;
    congru_status status = open_lines(context, source, &t.lines);
    if (status == CONGRU_OK)
        status = read_beginning(&t);
    if (status == CONGRU_OK)
        status = count_samples(&t);
    if (status == CONGRU_OK)
        status = make_recording(&t, recording);
    if (status != CONGRU_OK)
        congru_recording_destroy(recording);
    for (size_t i = 0; t.column != NULL && i < t.columns; i++)
        free(t.column[i].value);
    free(t.column);
    free(t.channel);
    close_lines(&t.lines);
    return status;
}

/* Text whose first line has columns; what begins as other texts do is none. The registry asks the other readers first. */
static bool recognises(const unsigned char *bytes, size_t size)
{
    char line[257];
    size_t used = 0;
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    for (size_t i = 0; i < size; i++)
        if ((bytes[i] < ' ' && strchr("\t\r\n", bytes[i]) == NULL) || bytes[i] == 0x7f || bytes[i] == '\0')
            return false;
    if (size >= 8 && memcmp(bytes, "%OpenBCI", 8) == 0)
        return true;
    if (size == 0 || strchr("{[<(!/", bytes[0]) != NULL || (size >= 5 && memcmp(bytes, "Brain", 5) == 0))
        return false;
    while (used < size && used + 1 < sizeof line && bytes[used] != '\n') {
        line[used] = (char)bytes[used];
        used++;
    }
    line[used] = '\0';
    return strpbrk(line, ",;\t") != NULL;
}

const congru_recording_reader congru_reader_text = {"text", recognises, read_text};
