/* The pipelines of several views of a trial that every context knows. SPDX-License-Identifier: Apache-2.0 */
#include "evaluation/pipeline.h"

/* A network on signals has the name of its classifier. */
#define NETWORK(name) \
    "\n" \
    "pipeline = " name "\n" \
    "title = " name " from 4 to 38 Hz, the first four seconds after the cue\n" \
    "windows = inside\n" \
    "branch = " name "\n" \
    "method = " name "\n" \
    "band = 4:38\n" \
    "window = 0:4\n"

const char congru_definitions_builtin[] =
    "pipeline = motor\n"
    "title = three views of oscillations: the whole movement, its beginning, and a grid of narrow bands and "
    "windows\n"
    "choose = C, weights\n"
    "windows = inside\n"
    "method = ra+ridge\n"
    "branch = whole\n"
    "band = 8:30\n"
    "window = 0.5:3.5\n"
    "shrinkage = 0.001\n"
    "C = 0.01\n"
    "branch = early\n"
    "band = 7:35\n"
    "window = 0.4:1.4\n"
    "shrinkage = 0.005\n"
    "C = 0.01\n"
    "branch = grid\n"
    "band = 8:12, 10:14, 14:20, 18:25, 22:32\n"
    "window = 0.3:1.3, 1.2:2.2, 2.1:3.1, 3:4\n"
    "shrinkage = 0.03\n"
    "C = 0.001\n"
    "\n"
    "pipeline = slow\n"
    "title = slow potentials after the cue, which gaze and evoked responses may drive\n"
    "choose = C\n"
    "windows = inside\n"
    "branch = slow\n"
    "method = ea+bins\n"
    "baseline = all\n"
    "band = 0:12\n"
    "order = 3\n"
    "window = 0:1.5\n"
    "C = 0.001\n"
    "weight = 1.75\n"
    "\n"
    "pipeline = motor+slow\n"
    "title = the views of motor and of slow together\n"
    "choose = C, weights\n"
    "branches = motor, slow\n" NETWORK("shallow") NETWORK("deep") NETWORK("eegnet") NETWORK("conformer")
        NETWORK("inception") NETWORK("tsmnet") NETWORK("conv-dldct") NETWORK("conv-ddct-unet");
