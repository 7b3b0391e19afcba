/* Jobs that all processes do together, one after the other. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_EVALUATION_PROCESS_GROUP_TOGETHER_H
#define CONGRU_EVALUATION_PROCESS_GROUP_TOGETHER_H

#include "evaluation/process_group_queue.h"

/* As congru_queue_run, but every process runs every job, on the workers' first context, at the same time: the steps of
 * training are shared among them, so that each ends with the same bits. A process that is lost ends the run. */
congru_status congru_together_run(const congru_workers *workers, congru_process_group *processes,
                                  congru_status ready, const congru_queue_work *work);

#endif
