/* Draws shapes with cairo, or says that there is none. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "table_show.h"
#include "terminal.h"

#ifdef CONGRU_CAIRO
#include <cairo-pdf.h>
#include <cairo.h>

/* Cairo draws text through fontconfig, which where memory is short may print, crash or never end. It is left to
 * a process of its own, which may do so. */
enum { PATIENCE_SECONDS = 20 };

static const double turn = 6.283185307179586, per_point = 200.0 / 72;

static void set_colour(cairo_t *cairo, uint32_t colour)
{
    cairo_set_source_rgba(cairo, (double)(colour >> 24) / 255, (double)(colour >> 16 & 0xff) / 255,
                          (double)(colour >> 8 & 0xff) / 255, (double)(colour & 0xff) / 255);
}

static void paint(cairo_t *cairo, const congru_shape *shape)
{
    static const double dashes[] = {4, 3};
    if ((shape->fill & 0xff) != 0) {
        set_colour(cairo, shape->fill);
        cairo_fill_preserve(cairo);
    }
    if ((shape->stroke & 0xff) != 0) {
        set_colour(cairo, shape->stroke);
        cairo_set_line_width(cairo, shape->stroke_width);
        cairo_set_dash(cairo, dashes, shape->dashed ? 2 : 0, 0);
        cairo_stroke_preserve(cairo);
    }
    cairo_new_path(cairo);
}

static void draw_text(cairo_t *cairo, const congru_shape *shape)
{
    cairo_text_extents_t extents;
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           shape->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, shape->width);
    cairo_text_extents(cairo, shape->text, &extents);
    cairo_save(cairo);
    cairo_translate(cairo, shape->x, shape->y);
    cairo_rotate(cairo, shape->angle * turn / 360);
    cairo_move_to(cairo, -extents.x_advance * (shape->anchor + 1) / 2, 0);
    set_colour(cairo, shape->fill);
    cairo_show_text(cairo, shape->text);
    cairo_restore(cairo);
}

/* Cells as boxes that overlap a little, so that no line shows between them. */
static void draw_surface(cairo_t *cairo, const congru_shape *shape)
{
    const double cell = 2 * shape->width / (double)shape->count;
    cairo_save(cairo);
    cairo_arc(cairo, shape->x, shape->y, shape->width, 0, turn);
    cairo_clip(cairo);
    for (size_t i = 0; i < shape->count * shape->count; i++)
        if (!isnan(shape->point[i])) {
            set_colour(cairo, congru_surface_colour(shape->point[i]));
            cairo_rectangle(cairo, shape->x - shape->width + (double)(i % shape->count) * cell,
                            shape->y - shape->width + (double)(i / shape->count) * cell, cell + 0.3,
                            cell + 0.3);
            cairo_fill(cairo);
        }
    cairo_restore(cairo);
}

/* Text leaves a current point behind, from which the next line would begin. */
static void draw_shape(cairo_t *cairo, const congru_shape *shape)
{
    cairo_new_path(cairo);
    switch (shape->kind) {
    case CONGRU_SHAPE_LINE:
    case CONGRU_SHAPE_POLYGON:
        for (size_t i = 0; i < shape->count; i++)
            cairo_line_to(cairo, shape->point[2 * i], shape->point[2 * i + 1]);
        if (shape->kind == CONGRU_SHAPE_POLYGON)
            cairo_close_path(cairo);
        break;
    case CONGRU_SHAPE_ELLIPSE:
        cairo_save(cairo);
        cairo_translate(cairo, shape->x, shape->y);
        cairo_rotate(cairo, shape->angle * turn / 360);
        if (shape->width > 0 && shape->height > 0) {
            cairo_scale(cairo, shape->width, shape->height);
            cairo_arc(cairo, 0, 0, 1, 0, turn);
            cairo_close_path(cairo);
        }
        cairo_restore(cairo);
        break;
    case CONGRU_SHAPE_BOX:
        cairo_rectangle(cairo, shape->x, shape->y, shape->width, shape->height);
        break;
    case CONGRU_SHAPE_TEXT:
        draw_text(cairo, shape);
        return;
    case CONGRU_SHAPE_SURFACE:
        draw_surface(cairo, shape);
        return;
    }
    paint(cairo, shape);
}

typedef struct image_bytes {
    unsigned char *data;
    size_t size;
} image_bytes;

static cairo_status_t keep(void *user, const unsigned char *data, unsigned int size)
{
    image_bytes *bytes = user;
    unsigned char *grown = realloc(bytes->data, bytes->size + size);
    if (grown == NULL)
        return CAIRO_STATUS_NO_MEMORY;
    memcpy(grown + bytes->size, data, size);
    bytes->data = grown;
    bytes->size += size;
    return CAIRO_STATUS_SUCCESS;
}

/* A PDF is of a fixed date: the same drawing gives the same bytes. A PNG has no transparent edge, whatever its size in
 * points comes to in pixels. */
static cairo_surface_t *make_surface(const congru_drawing *drawing, image_kind kind, image_bytes *made)
{
    if (kind == IMAGE_PNG)
        return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(drawing->width * per_point + 0.5),
                                          (int)(drawing->height * per_point + 0.5));
    cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(keep, made, drawing->width, drawing->height);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2026-01-01T00:00:00Z");
    return surface;
}

static cairo_status_t draw(const congru_drawing *drawing, image_kind kind, image_bytes *made)
{
    cairo_surface_t *surface = make_surface(drawing, kind, made);
    cairo_t *cairo = cairo_create(surface);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    if (kind == IMAGE_PNG)
        cairo_scale(cairo, per_point, per_point);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (size_t i = 0; i < drawing->count; i++)
        draw_shape(cairo, &drawing->shape[i]);
    cairo_status_t status = cairo_status(cairo);
    cairo_destroy(cairo);
    if (status == CAIRO_STATUS_SUCCESS && kind == IMAGE_PNG)
        status = cairo_surface_write_to_png_stream(surface, keep, made);
    cairo_surface_finish(surface); /* a PDF is written now */
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

/* The drawing itself, in a process of its own; never returns. */
static void draw_apart(const congru_drawing *drawing, image_kind kind, int output)
{
    image_bytes made = {0};
    int quiet = open("/dev/null", O_WRONLY);
    if (quiet < 0 || dup2(quiet, STDERR_FILENO) < 0)
        _exit(CAIRO_STATUS_LAST_STATUS);
    cairo_status_t status = draw(drawing, kind, &made);
    if (status == CAIRO_STATUS_SUCCESS && !standard_files_write(output, (const char *)made.data, made.size))
        status = CAIRO_STATUS_WRITE_ERROR;
    _exit((int)status);
}

/* What the process draws, until it closes its end; 0, or why not. */
static int take_bytes(int input, image_bytes *made)
{
    unsigned char piece[1 << 14];
    struct pollfd waiting = {.fd = input, .events = POLLIN};
    for (;;) {
        int ready = poll(&waiting, 1, PATIENCE_SECONDS * 1000);
        if (ready == 0)
            return ETIMEDOUT;
        ssize_t got = ready > 0 ? read(input, piece, sizeof piece) : -1;
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return errno;
        if (got > 0 && keep(made, piece, (unsigned int)got) != CAIRO_STATUS_SUCCESS)
            return ENOMEM;
    }
}

static int run_apart(const congru_drawing *drawing, image_kind kind, image_bytes *made, int *ended)
{
    int pipes[2];
    if (pipe(pipes) != 0)
        return errno;
    pid_t process = fork();
    if (process == 0) {
        close(pipes[0]);
        draw_apart(drawing, kind, pipes[1]);
    }
    int cause = process < 0 ? errno : 0;
    close(pipes[1]);
    if (cause == 0)
        cause = take_bytes(pipes[0], made);
    close(pipes[0]);
    if (cause != 0 && process > 0)
        kill(process, SIGKILL);
    while (process > 0 && waitpid(process, ended, 0) < 0 && errno == EINTR)
        ;
    return cause;
}

int report_image(const congru_drawing *drawing, image_kind kind, unsigned char **bytes, size_t *size)
{
    image_bytes made = {0};
    const char *name = kind == IMAGE_PNG ? "PNG" : "PDF";
    int ended = 0, cause = run_apart(drawing, kind, &made, &ended);
    bool whole = cause == 0 && WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    *bytes = whole ? made.data : NULL;
    *size = made.size;
    if (whole)
        return EXIT_DONE;
    free(made.data);
    if (cause != 0 && cause != ETIMEDOUT)
        return terminal_fail(EXIT_FAILED, "report: cannot make the %s: %s", name, strerror(cause));
    if (cause == 0 && WIFEXITED(ended) && WEXITSTATUS(ended) < CAIRO_STATUS_LAST_STATUS)
        return terminal_fail(EXIT_FAILED, "report: cannot make the %s: %s", name,
                             cairo_status_to_string((cairo_status_t)WEXITSTATUS(ended)));
    return terminal_fail(EXIT_FAILED,
                         "report: cannot make the %s: the drawing library failed (not enough memory?)", name);
}
#else
int report_image(const congru_drawing *drawing, image_kind kind, unsigned char **bytes, size_t *size)
{
    (void)drawing;
    *bytes = NULL;
    *size = 0;
    return terminal_fail(EXIT_FAILED,
                         "report: this congru was built without cairo, so --format %s is not there "
                         "(use --format svg, or install libcairo2-dev and build again)",
                         kind == IMAGE_PNG ? "png" : "pdf");
}
#endif
