/* The decoder of a stream: samples in, class probabilities out. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_H
#define CONGRU_DECODER_H

#include "congru/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A decoder filters samples as they come, keeps what its model looks at, and asks the model about it:
 *
 *     congru_decoder_create(context, model, NULL, &decoder);
 *     while (frames = acquire(&data)) {
 *         for (size_t taken; frames > 0; data += taken * channels, frames -= taken) {
 *             status = congru_decoder_push(decoder, frames, data, &taken, &decision);
 *             if (status == CONGRU_OK && decision.due) act_on(&decision);
 *         }
 *     }
 *
 * The subject need not be known to the model, and no labels are needed: the reference that their windows are compared
 * with begins as that of the subjects the model was fitted on, and moves to their own.
 *
 * Models of covariances, of one band and window or of several branches ("motor"), decide at any time, about the windows
 * that end then. Models with a branch that reads the signal itself ("slow", "motor+slow", networks of signals) decide about
 * cues alone (congru_model_needs_cues): each is told by congru_decoder_mark, and its decision is due when what the
 * model looks at after a cue has come:
 *
 *     congru_decoder_mark(decoder, sample);    // the cue was, or will be, at this frame
 *     ... push as above: decision.cued, decision.cue
 *
 * The trial of a cue is cut out of the last frames and treated as the trials of a set are, so that what is decided is what
 * congru_model_predict decides. Of a model whose filters are causal the trial ends with its last window, of another with
 * the trials of its set. Models of branches that decide at any time decide about cues as well.
 *
 * Between cues filters run forward only. A model whose set, or whose branches, were filtered with zero phase sees other
 * covariances than it was fitted on, and does worse for it (congru_model_is_causal).
 *
 * After creation nothing is allocated and no lock is taken, and a push takes a time that follows from the number of
 * frames. A decoder serves one thread at a time; different ones may run in different threads, with the same model. What
 * comes out does not depend on how the samples are divided into pushes, to the bit. */
typedef struct congru_decoder congru_decoder;

/* A loose electrode, a movement or a step of an amplifier is not learned from and not decided about. A model that recentres
 * knows how far its source subjects' trials lie from the references of their subjects, and from the reference of the other
 * subjects. A window that is farther from the subject's windows so far, or the first from other subjects, than the bound that
 * follows (docs/protocol.md has the rule) is an artefact: the decision has the status CONGRU_ERROR_ARTEFACT and no prediction,
 * and the references stay. What is usual for the subject is none. Models from before this was kept take every window. */

/* When the reference moves. */
typedef enum congru_adaptation {
    CONGRU_ADAPT_WINDOWS, /* with each further stretch of options.adapt_every seconds; for continuous use. About cues
                               alone: the next */
    CONGRU_ADAPT_DECISIONS, /* with each decision, after it; for cued trials that do not overlap */
    CONGRU_ADAPT_NEVER,     /* it stays that of the subjects the model was fitted on */
    CONGRU_ADAPT_TRIALS /* with each decision, before it: with a prior_weight of 0 as CONGRU_TARGET_ONLINE */
} congru_adaptation;

typedef struct congru_decoder_options {
    double rate; /* decisions per second from the first full window on, 4; 0: only when asked for. A model that
                    needs cues has none */

    /* What is pushed. */
    /* Frames per second; 0: the model's. Covariances of a band hardly depend on the rate, so at another rate the filters
     * are designed for that rate and windows last as long as the model's; refused where the model's band is not known or
     * reaches beyond 0.45 times either rate. */
    double sampling;
    const char *const
        *channels; /* (channel_count) their names, in order; those the model does not know are passed
                                    over. NULL: the model's, in its order */
    size_t channel_count;
    double scale; /* makes microvolts of the samples, 1; 1e6 for volts */

    double window; /* seconds; 0: as long as the model's trials. Branches have windows of their own */

    congru_adaptation adaptation;
    double adapt_every;  /* seconds; 0: one window, so that no sample counts twice */
    double prior_weight; /* how many windows the reference at the start counts for, 4 */
    double memory;       /* how many windows are remembered at most, 100; 0: all */
} congru_decoder_options;

CONGRU_API void congru_decoder_options_init(congru_decoder_options *options);

/* What was decided. */
typedef struct congru_decision {
    bool due;        /* false: no decision was due, and nothing below is set */
    uint64_t sample; /* frames pushed when it was made: the window ends before this one */
    double time;     /* seconds of the stream, sample / sampling */
    bool cued;       /* it is about the trial of a cue, */
    uint64_t cue;    /* which was at this frame */
    congru_status
        status; /* CONGRU_OK; else why there is no prediction: CONGRU_ERROR_NOT_FINITE for missing samples,
                            CONGRU_ERROR_NOT_POSITIVE for a window with flat or equal channels, CONGRU_ERROR_SCALE for
                            volts where the model had microvolts (options.scale), CONGRU_ERROR_ARTEFACT, ... */
    int32_t prediction; /* class of the model; -1 when there is none */
    int32_t
        flat; /* with CONGRU_ERROR_NOT_POSITIVE: the channel of the model that is flat in the window; else -1 */
    const double *probability; /* (classes), until the next call; NULL when there is no prediction */
} congru_decision;

/* What a window takes, in bytes, for each of its samples (channels + channels (channels + 1) / 64) doubles: the samples,
 * and sums of their products. More than this is refused: a model's file may say anything about its trials. 64 channels
 * at 1000 Hz come to 1 MB a second. */
enum { CONGRU_DECODER_WINDOW_MAX = 256 << 20 };

/* How many marks wait for their decision at most. */
enum { CONGRU_DECODER_MARKS_MAX = 16 };

/* Keeps a pointer to the model, which must live as long. The context is for error texts, and its instruction set for the
 * decoder's own. CONGRU_ERROR_ARGUMENT when the channels or the rate are not those of the model, or the window is too long;
 * CONGRU_ERROR_UNSUPPORTED when the model's data went through a filter that a stream cannot (FIR without delay). */
CONGRU_API congru_status congru_decoder_create(congru_context *context, const congru_model *model,
                                               const congru_decoder_options *options, congru_decoder **decoder);

/* Sets *decoder to NULL; NULL is allowed. */
CONGRU_API void congru_decoder_destroy(congru_decoder **decoder);

/* Takes frames (frames, channels), a sample of every channel side by side, up to the next decision or to the end:
 * *taken of them. NaN and infinity are missing samples. A window that holds some is decided about without a prediction. */
CONGRU_API congru_status congru_decoder_push(congru_decoder *decoder, size_t frames, const double *data,
                                             size_t *taken, congru_decision *decision);

/* The same for samples in single precision. */
CONGRU_API congru_status congru_decoder_push_float(congru_decoder *decoder, size_t frames, const float *data,
                                                   size_t *taken, congru_decision *decision);

/* Decides about the window that ends now, whenever that is; not due before the first full window. Where a decision is due
 * of itself the prediction is the same. CONGRU_ERROR_UNSUPPORTED for a model that needs cues. */
CONGRU_API congru_status congru_decoder_decide(congru_decoder *decoder, congru_decision *decision);

/* Tells of a cue at frame `cue`, counted from 0, past or to come: congru_decoder_push ends where its decision is due. One
 * whose time has passed is decided about at the next push; where its samples are no longer kept (two trials and a second
 * are) the decision is without a prediction. CONGRU_ERROR_ARGUMENT when CONGRU_DECODER_MARKS_MAX wait already;
 * CONGRU_ERROR_UNSUPPORTED when the model does not know where its cues were. */
CONGRU_API congru_status congru_decoder_mark(congru_decoder *decoder, uint64_t cue);

/* Decides about a cue at once; not due before its trial is complete. */
CONGRU_API congru_status congru_decoder_decide_cue(congru_decoder *decoder, uint64_t cue,
                                                   congru_decision *decision);

/* How many frames must have been pushed for a decision about a cue; UINT64_MAX when there can be none. */
CONGRU_API uint64_t congru_decoder_cue_due(const congru_decoder *decoder, uint64_t cue);

/* Another options.scale, for frames pushed from now on. Filters see a step where it changes: it belongs before the first
 * frame, or before a reset. CONGRU_ERROR_ARGUMENT when it is 0 or not finite. */
CONGRU_API congru_status congru_decoder_set_scale(congru_decoder *decoder, double scale);

/* Forgets everything but the options: a new recording of a target subject. */
CONGRU_API void congru_decoder_reset(congru_decoder *decoder);

/* Forgets the stream alone: filters, windows and marks begin anew and the next frame is frame 0, but the references and what
 * methods remember of the subject stay. For a recording that goes on after a gap. */
CONGRU_API void congru_decoder_rewind(congru_decoder *decoder);

/* Learns of the subject at rest, before the first trial: the references move with one window of the frames (frames, channels)
 * after the other, whatever options.adaptation is, and there are no decisions. Of a model that needs cues the windows are
 * as long as its trials. Then the stream is forgotten as by congru_decoder_rewind. *windows, which may be NULL: how many were
 * learned of; 0 where the recording is too short, or all of it is missing or an artefact. CONGRU_ERROR_SCALE for volts
 * where the model had microvolts. */
CONGRU_API congru_status congru_decoder_rest(congru_decoder *decoder, size_t frames, const double *data,
                                             size_t *windows);

/* ---- What is learned, as a file ------------------------------------------------------------------ */

/* The state of a decoder is what it has learned of its subject: the references, how far they have come from the source
 * subjects', and what methods remember of trials. Not the stream: after congru_decoder_state_load filters and windows begin
 * anew with the next frame, as after congru_decoder_rewind, and all decisions are, to the bit, those of the decoder that was saved
 * and rewound. Of a model that decides about trials of cues without filters of its set they are those of the decoder that went
 * on. The file is under its name whole or not at all. What methods remember of trials is taken where both decoders remember
 * alike (options.adaptation). CONGRU_ERROR_FORMAT for what is no state or damaged, CONGRU_ERROR_ARGUMENT for that of another
 * model, which the file names by a digest; the decoder is then as it was. */
CONGRU_API congru_status congru_decoder_state_save(congru_context *context, congru_decoder *decoder,
                                                   const char *path);
CONGRU_API congru_status congru_decoder_state_load(congru_context *context, congru_decoder *decoder,
                                                   const char *path);

/* The same in memory, as congru_model_pack and congru_model_parse; `name` is for error texts. */
CONGRU_API congru_status congru_decoder_state_pack(congru_context *context, congru_decoder *decoder,
                                                   void *bytes, size_t room, size_t *size);
CONGRU_API congru_status congru_decoder_state_parse(congru_context *context, congru_decoder *decoder,
                                                    const char *name, const void *bytes, size_t size);

/* Channels of a frame; frames that a decision looks at, from the first to the last; frames pushed since the start. */
CONGRU_API size_t congru_decoder_channels(const congru_decoder *decoder);
CONGRU_API size_t congru_decoder_window(const congru_decoder *decoder);

/* Frames per second of the stream. */
CONGRU_API double congru_decoder_sampling(const congru_decoder *decoder);
CONGRU_API uint64_t congru_decoder_position(const congru_decoder *decoder);

/* The reference as it is (d, d), of branches that of the first block of the first, and how many windows it has moved with;
 * reference may be NULL. */
CONGRU_API size_t congru_decoder_reference(const congru_decoder *decoder, double *reference);

#ifdef __cplusplus
}
#endif
#endif
