// SPDX-License-Identifier: Apache-2.0
// Messages between an asynchronous parameter server and its workers. A worker sends a GradientRequest. The server takes
// one worker at a time: it sends a Grant, receives the gradient, updates, sends an UpdateAnswer, and the weights.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstdint>
#include <span>

namespace shardlab::train {

/// The moments in these messages are those of the sender's StepClock (step_clock.h).
struct GradientRequest {
    double lossSum = 0;        ///< over the microbatches
    std::int64_t version = 0;  ///< number of updates in the weights that the worker read
    std::int64_t clock = 0;    ///< when the gradient was ready
};

struct Grant {
    std::int64_t clock = 0;  ///< when the worker has the lock; -1: the server takes no more gradients
};

struct UpdateAnswer {
    std::int64_t version = 0;  ///< number of updates in the weights that follow
    std::int64_t clock = 0;    ///< when the server begins to send them
    std::int64_t ends = 0;     ///< not 0: no weights follow, and the server takes no more gradients
};

enum class ServerTag : std::uint8_t { Request = 4, Grant, Gradient, Answer, Weights };

template <class Message>
RequestPtr ireceiveMessage(Communicator& group, Message& into, int peer, ServerTag tag) {
    return group.ireceive(std::as_writable_bytes(std::span(&into, 1)), peer, static_cast<int>(tag));
}
template <class Message>
void sendMessage(Communicator& group, const Message& message, int peer, ServerTag tag) {
    group.send(std::as_bytes(std::span(&message, 1)), peer, static_cast<int>(tag));
}

}  // namespace shardlab::train
