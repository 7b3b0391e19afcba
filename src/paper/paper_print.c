/* The blocks of an experiment as one text. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "congru/paper.h"
#include "congru/report.h"

static const char *const verdicts[] = {[CONGRU_PAPER_NOT_GIVEN] = "not judged",
                                       [CONGRU_PAPER_HOLDS] = "holds",
                                       [CONGRU_PAPER_FAILS] = "does not hold"};

static void add_number(congru_table *table, double number)
{
    congru_table_format_text(table, isnan(number) ? "-" : "%.6g", number);
}

congru_status congru_paper_claims(congru_context *context, const congru_paper_result *result,
                                  congru_table *table)
{
    static const char *const headings[] = {"id",     "place", "claim", "verdict",       "within chance",
                                           "margin", "low",   "high",  "paper's table", "numbers"};
    if (result == NULL || table == NULL)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT, "a table of claims needs a result and a table");
    congru_table_headings(table, sizeof headings / sizeof headings[0], headings);
    for (size_t i = 0; i < result->count; i++) {
        const congru_paper_block *block = &result->block[i];
        if (block->kind != CONGRU_PAPER_CLAIM)
            continue;
        congru_table_text(table, block->id);
        congru_table_text(table, block->place);
        congru_table_text(table, block->claim);
        congru_table_text(table, verdicts[block->verdict]);
        congru_table_text(table, block->chance ? "yes" : "no");
        add_number(table, block->margin);
        add_number(table, block->interval[0]);
        add_number(table, block->interval[1]);
        congru_table_text(table, verdicts[block->printed]);
        congru_table_text(table, block->text);
    }
    return table->failed ? congru_fail_memory(context, "a table") : CONGRU_OK;
}

/* A table under a title of its own, or under that of another where it has none. */
static congru_status add_table(congru_context *context, const congru_table *table, const char *title,
                               congru_table_format format, congru_text *all)
{
    congru_table titled = *table;
    char *text = NULL;
    titled.title = table->title != NULL ? table->title : title;
    congru_status status = congru_table_print(context, &titled, format, NULL, &text);
    if (status == CONGRU_OK)
        congru_text_add_bytes(all, text, strlen(text));
    congru_report_text_destroy(&text);
    return status;
}

/* The line that stands right above a block; NULL where there is none. */
static const char *line_above(const congru_paper_result *result, size_t block)
{
    return block > 0 && result->block[block - 1].kind == CONGRU_PAPER_LINE ? result->block[block - 1].text
                                                                           : NULL;
}

/* ---- JSON ---- */

static void add_member(congru_text *all, const char *name, const char *value)
{
    congru_text_add(all, ", \"%s\": ", name);
    congru_text_add_json(all, value);
}

static void add_claim(congru_text *all, const congru_paper_block *block)
{
    add_member(all, "id", block->id);
    add_member(all, "place", block->place);
    add_member(all, "claim", block->claim);
    add_member(all, "verdict", verdicts[block->verdict]);
    add_member(all, "printed", verdicts[block->printed]);
    congru_text_add(all, ", \"chance\": %s, \"margin\": ", block->chance ? "true" : "false");
    congru_text_add_number(all, block->margin, 17);
    congru_text_add(all, ", \"low\": ");
    congru_text_add_number(all, block->interval[0], 17);
    congru_text_add(all, ", \"high\": ");
    congru_text_add_number(all, block->interval[1], 17);
}

static congru_status add_json(congru_context *context, const congru_paper_result *result, congru_text *all)
{
    static const char *const kinds[] = {[CONGRU_PAPER_LINE] = "line",
                                        [CONGRU_PAPER_TEXT] = "text",
                                        [CONGRU_PAPER_NOTE] = "note",
                                        [CONGRU_PAPER_TABLE] = "table",
                                        [CONGRU_PAPER_CLAIM] = "claim"};
    congru_status status = CONGRU_OK;
    congru_text_add(all, "{\"blocks\": [");
    for (size_t i = 0; status == CONGRU_OK && i < result->count; i++) {
        const congru_paper_block *block = &result->block[i];
        congru_text_add(all, "%s{\"kind\": \"%s\"", i > 0 ? ",\n" : "\n", kinds[block->kind]);
        if (block->kind == CONGRU_PAPER_CLAIM) {
            add_claim(all, block);
        }
        if (block->kind == CONGRU_PAPER_TABLE) {
            congru_text_add(all, ", \"table\": ");
            status = add_table(context, &block->table, line_above(result, i), CONGRU_TABLE_JSON, all);
        } else {
            add_member(all, "text", block->text);
        }
        congru_text_add(all, "}");
    }
    congru_text_add(all, "\n]}\n");
    return status;
}

/* ---- For readers ---- */

/* Whether a block is written by itself: tables are, and what stands between them where the format has room for it. Claims
 * are rows of one table, but as text. */
static bool is_written(const congru_paper_block *block, congru_table_format format)
{
    if (block->kind == CONGRU_PAPER_TABLE || format == CONGRU_TABLE_TEXT)
        return true;
    return format == CONGRU_TABLE_MARKDOWN && block->kind != CONGRU_PAPER_CLAIM;
}

static congru_status add_blocks(congru_context *context, const congru_paper_result *result,
                                congru_table_format format, congru_text *all)
{
    congru_status status = CONGRU_OK;
    for (size_t i = 0; status == CONGRU_OK && i < result->count; i++) {
        const congru_paper_block *block = &result->block[i];
        const bool table = block->kind == CONGRU_PAPER_TABLE, text = format == CONGRU_TABLE_TEXT;
        if (!is_written(block, format))
            continue;
        if (all->size > 0 && (!text || block->apart))
            congru_text_add(all, "\n");
        if (table && !(text && block->text != NULL))
            status = add_table(context, &block->table, line_above(result, i), format, all);
        else
            congru_text_add(all, table ? "%s" : "%s\n", block->text);
    }
    return status;
}

static congru_status add_claims(congru_context *context, const congru_paper_result *result,
                                congru_table_format format, congru_text *all)
{
    congru_table table = {0};
    congru_status status = congru_paper_claims(context, result, &table);
    if (status == CONGRU_OK && table.cells > 0) {
        congru_text_add(all, all->size > 0 ? "\n" : "");
        status = add_table(context, &table, "Claims of the paper", format, all);
    }
    congru_table_clear(&table);
    return status;
}

congru_status congru_paper_print(congru_context *context, const congru_paper_result *result,
                                 congru_table_format format, char **text)
{
    if (context == NULL || result == NULL || text == NULL || (unsigned)format > CONGRU_TABLE_JSON)
        return congru_fail(context, CONGRU_ERROR_ARGUMENT,
                           "blocks are printed of a result, in a format of tables");
    congru_text all = {0};
    *text = NULL;
    congru_text_add(&all, "%s", "");
    congru_status status = format == CONGRU_TABLE_JSON ? add_json(context, result, &all)
                                                       : add_blocks(context, result, format, &all);
    if (status == CONGRU_OK && format != CONGRU_TABLE_JSON && format != CONGRU_TABLE_TEXT)
        status = add_claims(context, result, format, &all);
    if (status == CONGRU_OK && (all.failed || all.data == NULL))
        status = congru_fail_memory(context, "the text of an experiment");
    if (status != CONGRU_OK)
        congru_text_clear(&all);
    *text = all.data;
    return status;
}
