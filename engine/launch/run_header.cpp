// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/plan_header.h"

#include "engine/layout/layout_file.h"

#include <QDateTime>

namespace shardlab {

RunHeader headerOf(const Plan& plan) {
    RunHeader header;
    header.layout = plan.layout;
    header.layoutJson = writeLayout(plan.layout);
    header.created = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    header.version = SHARDLAB_VERSION;
    header.paced = plan.layout.cluster.pace.has_value();
    header.stretch = plan.costs.stretch;
    header.predictedStepSeconds = plan.stepSeconds;
    header.predictedBubble = plan.bubble;
    header.theoreticalBubble = plan.bubbleTheory;
    for (const RankMemory& memory : plan.memory) header.predictedPeak.push_back(memory.peak);
    header.capacityBytes = plan.capacityBytes;
    return header;
}

}  // namespace shardlab
