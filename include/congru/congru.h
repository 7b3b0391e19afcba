/* All of libcongru: one header per stage, in the order data flows. SPDX-License-Identifier: Apache-2.0 */
#ifndef CONGRU_CONGRU_H
#define CONGRU_CONGRU_H

#include "congru/status.h"
#include "congru/version.h"

#include "congru/context.h"
#include "congru/process_group.h"
#include "congru/random.h"
#include "congru/text.h"

#include "congru/recording.h"

#include "congru/signal.h"

#include "congru/epochs.h"

#include "congru/option.h"
#include "congru/preprocess.h"

#include "congru/dataset.h"
#include "congru/import.h"
#include "congru/npy.h"
#include "congru/spd.h"

#include "congru/synth.h"

#include "congru/aligner.h"
#include "congru/classifier.h"
#include "congru/method.h"

#include "congru/evaluation.h"
#include "congru/explain.h"
#include "congru/statistics.h"

#include "congru/decoder.h"
#include "congru/describe.h"
#include "congru/model.h"
#include "congru/report.h"
#include "congru/stream.h"
#include "congru/table.h"

#include "congru/paper.h"

#endif
