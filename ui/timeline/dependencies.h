// SPDX-License-Identifier: GPL-3.0-or-later
// What an action waited for and what waits for it: the two ends of its messages, joined by their pair id.
#pragma once

#include "ui/core/run_model.h"

#include <optional>
#include <vector>

namespace shardlab::ui {

struct Dependency {
    Event from;  ///< the sender's send
    Event to;    ///< what uses it on the receiving rank: a computation, or the receive itself where none was recorded
};

/// The dependencies of one measured or predicted event, in the same pipeline and, where the schedule flushes, in the
/// same step. Empty for events that exchange nothing.
std::vector<Dependency> dependencies(const RunModel& model, const Event& event);

/// The wait before an action on its own compute lane, for the message it needs; none where it did not wait.
std::optional<Event> waitBefore(const RunModel& model, const Event& event);

/// The predicted event of the same rank, lane and action; nullptr where there is none.
const Event* predictedOf(const RunModel& model, const Event& event);

/// The message (send or receive) that brings a computation its input; none for the first stage's forward and the last
/// stage's backward.
std::optional<Action> inputMessage(const Action& compute, int stages);

}  // namespace shardlab::ui
