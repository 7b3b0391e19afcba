/* What a decoder is made of: streams of samples, the trial of a cue, one view for each branch. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_DECODER_LIVE_H
#define CONGRU_DECODER_LIVE_H

#include "base/memory.h"
#include "congru/decoder.h"
#include "decoder/model_internal.h"
#include "decoder/window.h"
#include "evaluation/materials.h"

enum {
    CONGRU_LIVE_CHUNK = 64, /* frames filtered at a time */
    CONGRU_LIVE_LOOKS = 32  /* that tell what is usual for a subject */
};

/* One way of filtering the samples as they flow, with its state kept, and what is remembered of them. */
typedef struct congru_live_stream {
    const congru_preprocessing *filters; /* NULL: samples as all views have them */
    congru_iir filter;
    double *state; /* (d, sections + 1, 2) */
    congru_window window;
} congru_live_stream;

/* One band and window of a branch. */
typedef struct congru_live_block {
    const congru_preprocessing *as; /* how its covariance is estimated */
    const congru_product *product;  /* what the trial of a cue becomes; NULL: the trial as it is */
    const double *prior;            /* (d, d), the reference at the start; NULL: the identity */
    size_t stream;                  /* that it is cut from as samples flow, where it can be, */
    size_t delay, length;           /* in frames: it ends `delay` frames before the last */
    double
        bound; /* the distance from the subject's reference beyond which it is an artefact; infinity: none is */
    double tail;   /* how many times the usual distance that is */
    double beyond; /* and from the reference of other subjects; infinity: unknown */
} congru_live_block;

/* One branch: what it looks at, the references of the subject at hand, and what it says. */
typedef struct congru_live_view {
    const congru_branch *branch;
    const congru_model_branch *fitted;
    size_t material; /* what it reads, in the decoder's list */
    size_t blocks;
    congru_live_block block[CONGRU_BLOCKS_MAX];
    double *reference, *root;   /* (blocks, d, d); root is reference^-1/2 */
    double *latest;             /* (blocks, d, d): covariances, or moments of signals, last looked at */
    double *aligned, *moved;    /* (blocks, d, d) */
    double *row;                /* (features) */
    double *probability;        /* (classes) */
    congru_following following; /* what its methods remember of the subject's trials */
    size_t moves;
    double *
        centre; /* (blocks, d, d) of the subject's windows that are no artefacts, by which others are judged, */
    size_t centred; /* and of how many it is */
    double *
        distance; /* (3, blocks): from the model's reference of what it began with, and of what is looked at; from it */
    double *look; /* (blocks, LOOKS): the last of these, half a window or more apart, in a ring */
    size_t looks;
    uint64_t looked; /* the count at the last of them */
    bool waiting;    /* `latest` has yet to move the references */
} congru_live_view;

/* A trial as the model's set holds them; of signals, it is cut out of the last frames at a cue, and is of the same length. */
typedef struct congru_live_trial {
    bool able;        /* it is of signals, and there is a ring */
    double onset;     /* frames from the cue to the first */
    size_t samples;   /* that must have come; those of a set may be more, which no view looks at */
    size_t room;      /* frames kept */
    double *ring;     /* (room, d) */
    congru_set set;   /* of one trial, which is `signal` */
    double *signal;   /* (d, samples) */
    double *variance; /* (d) of it, times samples */
    double *matrix;   /* (d, d), a trial of covariances, which nobody reads */
    int32_t zero;     /* its subject, session and run */
} congru_live_trial;

typedef struct congru_live_mark {
    uint64_t cue, due;
} congru_live_mark;

struct congru_decoder {
    congru_context *context; /* its own, of one thread */
    congru_memory_cache cache;
    congru_arena arena;
    const congru_model *model;
    congru_decoder_options options;
    double sampling;
    size_t d;         /* channels of the model */
    size_t channels;  /* of a frame */
    size_t *position; /* (d) where the model's channels are in a frame */
    congru_iir filter;

    /* The stream */
    uint64_t count; /* frames so far */
    double *state;  /* (d, sections + 1, 2) */
    double *chunk;  /* (d, CHUNK) */
    double *copy;   /* (d, CHUNK) */
    double *frame;  /* (d) */
    congru_live_stream *stream;
    size_t streams;
    bool flows;    /* decides at any time, not about cues alone */
    size_t extent; /* frames that a decision at any time looks at */
    double end;    /* frames from a cue to the end of what such a decision looks at; NaN when unknown */
    congru_live_trial trial;
    congru_live_mark mark[CONGRU_DECODER_MARKS_MAX]; /* in the order they are due */
    size_t marks;
    uint64_t decisions, next_decision, adaptations, next_adaptation;

    /* The model, branch by branch */
    congru_materials materials; /* the plan of what a trial becomes */
    congru_live_view *view;
    size_t views;
    bool artefact;       /* what was last looked at is one */
    uint64_t clear;      /* frames from which on a window holds less than half of the last that was one */
    double *said;        /* (views, classes) */
    double *probability; /* (classes) */
};

/* Whether each decision moves what is remembered of the subject, before or behind it. Windows that overlap do not: then
 * methods that remember trials have the statistics of their training. */
bool congru_live_follows(const congru_decoder *decoder);

/* To the state before the first frame: of the stream and the subject. */
congru_status congru_live_rewind(congru_decoder *decoder);

/* Moves the references by what the last decision left to be learned, as the next frame would. */
void congru_live_settle(congru_decoder *decoder);

/* ---- decoder_create.c ------------------------------------------------------------------------------------ */

/* Everything but the context, for options that have been checked. */
congru_status congru_live_start(congru_decoder *decoder);
congru_status congru_live_check_options(congru_context *context, const congru_model *model,
                                        const congru_decoder_options *options);

/* ---- live_view.c ----------------------------------------------------------------------------------------- */

/* Lists the views, their blocks and the streams of these. */
congru_status congru_live_plan(congru_decoder *decoder);
void congru_live_clear(congru_decoder *decoder);
void congru_live_view_layout(congru_arena *arena, const congru_decoder *decoder, congru_live_view *view);

/* References as before the first frame. */
congru_status congru_live_view_rewind(const congru_decoder *decoder, congru_live_view *view);

/* Looks at the windows that end now, or at the trial that was cut: `latest`. */
void congru_live_view_look(const congru_decoder *decoder, congru_live_view *view);
congru_status congru_live_view_look_at_trial(const congru_decoder *decoder, congru_live_view *view);

/* Whether what was looked at is of the model's scale. */
congru_status congru_live_view_check_scale(const congru_decoder *decoder, const congru_live_view *view);

/* probability of what was looked at. */
congru_status congru_live_view_ask(const congru_decoder *decoder, congru_live_view *view);

/* Moves the references to what was looked at; a window of which nothing can be learned leaves them. */
congru_status congru_live_view_move(const congru_decoder *decoder, congru_live_view *view);

/* ---- live_artefact.c ------------------------------------------------------------------------------------- */

/* A block's bounds, of the spread of its tensors; its product and length are known. */
void congru_live_block_bound(const congru_decoder *decoder, const double *spread, size_t rows,
                             congru_live_block *block);

void congru_live_view_layout_looks(congru_arena *arena, const congru_decoder *decoder, congru_live_view *view);

/* Whether what all views have looked at is an artefact: `artefact`. CONGRU_ERROR_MEMORY, in the first question alone. */
congru_status congru_live_judge(congru_decoder *decoder);

/* ---- live_state.c ---------------------------------------------------------------------------------------- */

/* Of numbers and their names, and of texts where there are some. */
enum { CONGRU_STATE_DIGEST_SIZE = 17 };
void congru_state_digest(const congru_tensors *tensors, const congru_texts *texts,
                         char text[CONGRU_STATE_DIGEST_SIZE]);

/* ---- live_trial.c ---------------------------------------------------------------------------------------- */

/* Frames after which the trial of a cue is there. */
uint64_t congru_live_trial_due(const congru_decoder *decoder, uint64_t cue);

/* Keeps the frames of a chunk. */
void congru_live_trial_push(congru_decoder *decoder, size_t count, const double *chunk);

/* Cuts the trial of a cue, and makes every view's blocks of it. CONGRU_ERROR_NOT_FINITE where samples of it are missing,
 * because they were not finite or have gone or never came; CONGRU_ERROR_NOT_POSITIVE where channel *flat is flat. */
congru_status congru_live_trial_cut(congru_decoder *decoder, uint64_t cue, int32_t *flat);

#endif
