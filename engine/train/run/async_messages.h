// SPDX-License-Identifier: Apache-2.0
// What an asynchronous parameter server and its workers say to each other. A worker asks; the server takes one worker
// at a time: it grants, receives the gradient, updates, answers, and sends the weights.
#pragma once

#include "engine/train/comm/communicator.h"

#include <cstdint>
#include <span>

namespace shardlab {

/// The moments in these messages are those of the sender's StepClock (step_clock.h).
struct GradientRequest {
    double lossSum = 0;        ///< over the microbatches
    std::int64_t version = 0;  ///< updates that the weights had seen when the worker read them
    std::int64_t clock = 0;    ///< when the gradient was there
};

struct Grant {
    std::int64_t clock = 0;  ///< when the lock is the worker's
};

struct UpdateAnswer {
    std::int64_t version = 0;  ///< updates that the weights have seen which follow
    std::int64_t clock = 0;    ///< when they begin to leave
    std::int64_t ends = 0;     ///< not 0: nothing follows, and the server takes no more gradients
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

}  // namespace shardlab
