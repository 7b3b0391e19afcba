/* Options of live decoding, and the choice of an input. SPDX-License-Identifier: Apache-2.0 */
#include "congru/stream.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/number_text.h"
#include "stream/stream_lines.h"

void congru_stream_options_init(congru_stream_options *options)
{
    if (options == NULL)
        return;
    *options = (congru_stream_options){.marker_after = (double)NAN,
                                       .lsl_wait = 30,
                                       .address = "127.0.0.1",
                                       .clients = 256,
                                       .idle = 30,
                                       .speed = 10};
    congru_decoder_options_init(&options->decoder);
}

congru_status congru_stream_settle(congru_context *context, const congru_model *model,
                                   const congru_stream_options *options, congru_stream_settings *settings)
{
    if (context == NULL || model == NULL || options == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "stream: a context, a model and options are needed");
    *settings = (congru_stream_settings){.context = context, .model = model, .options = *options};
    if (isinf(options->marker_after))
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "stream: marker_after is not finite");
    if (congru_model_needs_cues(model))
        settings->options.decoder.rate = 0;
    return congru_stream_line_most(context, model, &settings->line_most);
}

bool congru_stream_stopped(const congru_stream_settings *settings)
{
    return settings->options.stop != NULL && *settings->options.stop != 0;
}

void congru_stream_warn(const congru_stream_settings *settings, const char *format, ...)
{
    char text[CONGRU_ERROR_TEXT_SIZE];
    va_list arguments;
    if (settings->options.warn == NULL)
        return;
    va_start(arguments, format);
    congru_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    settings->options.warn(settings->options.user, text);
}

static congru_status check_input(const congru_stream_settings *settings, const char *input)
{
    const congru_stream_options *o = &settings->options;
    if (input == NULL || o->line == NULL)
        return congru_fail(settings->context, CONGRU_ERROR_ARGUMENT,
                           "stream: an input and a function for lines are needed");
    if ((int)o->format < 0 || o->format > CONGRU_STREAM_LSL)
        return congru_fail(settings->context, CONGRU_ERROR_ARGUMENT, "stream: there is no such format");
    if (o->format != CONGRU_STREAM_LSL && o->lsl_markers != NULL)
        return congru_fail(settings->context, CONGRU_ERROR_ARGUMENT,
                           "stream: LSL markers go by the clock of LSL samples");
    if (!(o->lsl_wait > 0))
        return congru_fail(settings->context, CONGRU_ERROR_ARGUMENT,
                           "stream: lsl_wait is not a number of seconds above 0");
    return CONGRU_OK;
}

congru_status congru_stream_run(congru_context *context, const congru_model *model, const char *input,
                                const congru_stream_options *options)
{
    congru_stream_settings settings;
    congru_status status = congru_stream_settle(context, model, options, &settings);
    if (status == CONGRU_OK)
        status = check_input(&settings, input);
    if (status != CONGRU_OK)
        return status;
    congru_stream_sink sink = {
        .settings = &settings, .write = settings.options.line, .user = settings.options.user};
    if (settings.options.lsl_out != NULL)
        status = congru_stream_outlet_open(&settings, &sink.outlet);
    if (status == CONGRU_OK)
        switch (settings.options.format) {
        case CONGRU_STREAM_LSL:
            status = congru_stream_read_lsl(&sink, input);
            break;
        case CONGRU_STREAM_RECORDING:
            status = congru_stream_read_recording(&sink, input);
            break;
        case CONGRU_STREAM_CSV:
            status = congru_stream_read_csv(&sink, input);
            break;
        default:
            status = congru_stream_read_frames(&sink, input);
            break;
        }
    if (sink.begun && settings.options.state != NULL) { /* also of a stream that ends in a mistake */
        char said[CONGRU_ERROR_TEXT_SIZE];
        snprintf(said, sizeof said, "%s", congru_context_error(context));
        const congru_status kept = congru_decoder_state_save(context, sink.decoder, settings.options.state);
        if (status != CONGRU_OK)
            congru_fail(context, status, "%s", said);
        else
            status = kept;
    }
    congru_decoder_destroy(&sink.decoder);
    congru_stream_outlet_close(&sink.outlet);
    return status;
}
