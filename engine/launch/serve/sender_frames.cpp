// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/sender_frames.h"

namespace shardlab::launch {

bool mayBeSent(EventKind kind) {
    const auto within = [kind](EventKind first, EventKind last) { return kind >= first && kind <= last; };
    return within(EventKind::Forward, EventKind::Step) || kind == EventKind::Validation ||
           within(EventKind::ReduceNorm, EventKind::GatherParameters) ||
           within(EventKind::DispatchTokens, EventKind::ExposedComm) ||
           within(EventKind::ExchangeHeads, EventKind::GatherChoices) ||
           within(memoryKind(MemoryCategory::Parameters), EventKind::LossScale) || kind == EventKind::MemoryPeak ||
           within(peakKind(MemoryCategory::Parameters), EventKind::HostMemory) || kind == EventKind::Overflow ||
           within(EventKind::Kernel, EventKind::Annotation) || kind == EventKind::NamedCounter ||
           kind == EventKind::Mark;
}

}  // namespace shardlab::launch
