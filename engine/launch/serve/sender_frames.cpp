// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/serve/sender_frames.h"

namespace shardlab::launch {

bool mayBeSent(EventKind kind) {
    return (kind >= EventKind::Forward && kind <= EventKind::Recompute) || kind == EventKind::Optimizer ||
           kind == EventKind::Step || kind == EventKind::Validation ||
           (kind >= EventKind::Loss && kind <= EventKind::TokensPerSecond) ||
           (kind >= EventKind::Kernel && kind <= EventKind::Annotation) || kind == EventKind::NamedCounter ||
           kind == EventKind::Mark;
}

}  // namespace shardlab::launch
