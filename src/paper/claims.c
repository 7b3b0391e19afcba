/* Verdicts about claims. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "paper/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* A claim by one side's numbers: the step that decides, and all that its steps were made with. */
typedef struct judged {
    congru_paper_verdict verdict;
    size_t step;
    congru_claim_found found; /* of that step, but for what all steps use and lack */
} judged;

static bool is_better(const congru_claim_found *a, const congru_claim_found *b)
{
    return a->holds != b->holds ? a->holds : a->score > b->score;
}

/* Where so many must hold, that one in the order of their scores decides: the last where all must. */
static size_t find_deciding(const congru_claim_found *found, size_t steps, size_t least)
{
    for (size_t i = 0; i < steps; i++) {
        size_t better = 0;
        for (size_t k = 0; k < steps; k++)
            better += is_better(&found[k], &found[i]) || (k < i && !is_better(&found[i], &found[k]));
        if (better == least - 1)
            return i;
    }
    return 0;
}

static judged judge(const congru_claim_source *source, const congru_claim *claim, congru_claim_side side,
                    congru_text *missing)
{
    congru_claim_found found[CONGRU_CLAIM_STEPS_MAX];
    judged result = {.verdict = CONGRU_PAPER_HOLDS};
    for (size_t i = 0; i < claim->steps; i++) {
        congru_claim_step_judge(source, &claim->step[i], side, missing, &found[i]);
        if (!found[i].given)
            result.verdict = CONGRU_PAPER_NOT_GIVEN;
    }
    result.step = find_deciding(found, claim->steps, claim->least);
    result.found = found[result.step];
    for (size_t i = 0; i < claim->steps; i++) {
        result.found.absent |= found[i].absent;
        result.found.uses |= found[i].uses;
        result.found.ridge |= found[i].ridge;
        result.found.failed |= found[i].failed;
    }
    if (result.verdict == CONGRU_PAPER_HOLDS && !result.found.holds)
        result.verdict = CONGRU_PAPER_FAILS;
    return result;
}

/* ---- In words ---- */

/* "reproduced, within chance" */
static void add_verdict(congru_text *text, const judged *by)
{
    static const char *const words[] = {[CONGRU_PAPER_NOT_GIVEN] = "not judged",
                                        [CONGRU_PAPER_HOLDS] = "reproduced",
                                        [CONGRU_PAPER_FAILS] = "not reproduced"};
    const bool chance = by->verdict != CONGRU_PAPER_NOT_GIVEN && by->found.chance;
    congru_text_add(text, "%s%s", words[by->verdict], chance ? ", within chance" : "");
}

/* "by 2.12 [-0.40, 4.64]" */
static void add_margin(congru_text *text, const judged *by)
{
    congru_text_add(text, "by ");
    congru_claim_number(text, by->found.margin);
    if (isnan(by->found.low)) {
        congru_text_add(text, ", no interval");
        return;
    }
    congru_text_add(text, " [");
    congru_claim_number(text, by->found.low);
    congru_text_add(text, ", ");
    congru_claim_number(text, by->found.high);
    congru_text_add(text, "]");
}

/* "needs sets bnci2014-004, ofner2017", "needs cross shallow". */
static void add_needs(congru_text *text, const judged *by, const congru_text *missing)
{
    size_t told = 0;
    for (size_t i = 0; congru_paper_dataset_at(i) != NULL; i++)
        if ((by->found.absent >> i & 1) != 0)
            congru_text_add(text, "%s%s", told++ > 0 ? ", " : ": needs sets ", congru_paper_dataset_at(i));
    if (missing->size > 0)
        congru_text_add(text, "%s%s", told > 0 ? "; " : ": needs ", missing->data);
    else if (told == 0)
        congru_text_add(text, ": needs more subjects");
}

/* How the same claim stands by other numbers. */
static void add_others(congru_text *text, const congru_claim_source *source, const congru_claim *claim,
                       const judged *ours, const judged *paper)
{
    if (ours->found.ridge && ours->verdict != CONGRU_PAPER_NOT_GIVEN) {
        const judged plain = judge(source, claim, CONGRU_CLAIM_PLAIN_RIDGE, NULL);
        congru_text_add(text, "; with C = 1 ");
        add_verdict(text, &plain);
        congru_text_add(text, plain.verdict != CONGRU_PAPER_NOT_GIVEN ? ", " : "");
        if (plain.verdict != CONGRU_PAPER_NOT_GIVEN)
            add_margin(text, &plain);
    }
    if (paper->verdict != CONGRU_PAPER_FAILS)
        return;
    congru_text_add(text, "; the paper's own table says otherwise (");
    congru_claim_step_describe(source, &claim->step[paper->step], CONGRU_CLAIM_PAPER, text);
    congru_text_add(text, ")");
}

static void describe(congru_text *text, const congru_claim_source *source, const congru_claim *claim,
                     const judged *ours, const judged *paper, const congru_text *missing)
{
    add_verdict(text, ours);
    congru_text_add(text, ": %s", claim->words);
    if (claim->bound[0] != '\0')
        congru_text_add(text, " (%s)", claim->bound);
    if (ours->verdict == CONGRU_PAPER_NOT_GIVEN) {
        add_needs(text, ours, missing);
    } else {
        congru_text_add(text, ": ");
        congru_claim_step_describe(source, &claim->step[ours->step], CONGRU_CLAIM_OURS, text);
        congru_text_add(text, ", ");
        add_margin(text, ours);
    }
    if (source->changed != NULL && ours->verdict != CONGRU_PAPER_NOT_GIVEN)
        source->changed(source->user, ours->found.uses, text);
    add_others(text, source, claim, ours, paper);
}

congru_status congru_claim_judge(const congru_paper_job *job, const congru_claim_source *source,
                                 const congru_claim *claim, bool apart)
{
    congru_text text = {0}, missing = {0};
    const judged ours = judge(source, claim, CONGRU_CLAIM_OURS, &missing),
                 paper = judge(source, claim, CONGRU_CLAIM_PAPER, NULL);
    congru_paper_block block = {.kind = CONGRU_PAPER_CLAIM,
                                .apart = apart,
                                .verdict = ours.verdict,
                                .printed = paper.verdict,
                                .chance = ours.verdict != CONGRU_PAPER_NOT_GIVEN && ours.found.chance,
                                .margin = NAN,
                                .interval = {NAN, NAN}};
    describe(&text, source, claim, &ours, &paper, &missing);
    const bool failed = text.failed || missing.failed || ours.found.failed || paper.found.failed;
    congru_text_clear(&missing);
    if (ours.verdict != CONGRU_PAPER_NOT_GIVEN) {
        block.margin = ours.found.margin;
        block.interval[0] = ours.found.low;
        block.interval[1] = ours.found.high;
    }
    block.text = text.data;
    block.claim = strdup(claim->words);
    block.id = strdup(claim->id);
    block.place = strdup(claim->place);
    if (failed || block.claim == NULL || block.id == NULL || block.place == NULL)
        return congru_paper_drop(job, &block);
    return congru_paper_add(job, &block);
}

/* "5 of 8 claims reproduced, 2 of them within chance; 1 not judged" of the blocks behind the first. */
static congru_status count_verdicts(const congru_paper_job *job, size_t first)
{
    size_t judged_count = 0, reproduced = 0, chance = 0, all = job->result->count - first;
    congru_text text = {0};
    for (size_t i = first; i < job->result->count; i++) {
        const congru_paper_block *block = &job->result->block[i];
        judged_count += block->verdict != CONGRU_PAPER_NOT_GIVEN;
        reproduced += block->verdict == CONGRU_PAPER_HOLDS;
        chance += block->verdict == CONGRU_PAPER_HOLDS && block->chance;
    }
    congru_text_add(&text, "%zu of %zu claims reproduced", reproduced, judged_count);
    if (chance > 0)
        congru_text_add(&text, ", %zu of them within chance", chance);
    if (judged_count < all)
        congru_text_add(&text, "; %zu not judged", all - judged_count);
    congru_status status = text.failed ? congru_paper_no_memory(job)
                                       : congru_paper_say(job, CONGRU_PAPER_LINE, false, "%s", text.data);
    congru_text_clear(&text);
    return status;
}

congru_status congru_claims_judge(const congru_paper_job *job, const congru_claim_source *source,
                                  const char *heading)
{
    congru_status status = congru_paper_say(job, CONGRU_PAPER_LINE, true, "%s", heading);
    const size_t first = job->result->count;
    congru_claim *claim = malloc(sizeof *claim);
    if (claim == NULL)
        return congru_paper_no_memory(job);
    for (size_t i = 0; status == CONGRU_OK && congru_claim_read(source->experiment, i, claim); i++)
        status = congru_claim_judge(job, source, claim, false);
    free(claim);
    return status == CONGRU_OK ? count_verdicts(job, first) : status;
}
