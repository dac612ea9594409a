// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/server.h"

namespace shardlab::train {
namespace {

constexpr int pullTag = 1;

}  // namespace

void pushGradients(ArraySpan gradients, Communicator& group) { group.ireduceTo(gradients, serverMember)->wait(); }

void pullWeights(ArraySpan weights, Communicator& group) {
    if (group.rank() != serverMember) return group.receive(weights.bytes(), serverMember, pullTag);
    for (int worker = 1; worker < group.size(); ++worker) group.send(weights.bytes(), worker, pullTag);
}

}  // namespace shardlab::train
