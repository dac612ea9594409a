// SPDX-License-Identifier: Apache-2.0
// The parts of check(): each adds the faults it finds and looks at nothing but the layout.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"

#include <span>
#include <vector>

namespace shardlab {

/// Each field on its own: limits, words, hosts.
void checkFields(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// Model and data: heads, vocabulary, path, what can be counted.
void checkModel(const Layout& layout, std::vector<Fault>& faults);
/// What a cnn needs of its images and of who shares them.
void checkCnn(const Layout& layout, std::vector<Fault>& faults);
/// What a tensor group can share: heads, columns, vocabulary, tokens.
void checkTensor(const Layout& layout, std::vector<Fault>& faults);
/// How a context group cuts sequences.
void checkContext(const Layout& layout, std::vector<Fault>& faults);
/// How experts are spread over ranks, and what does not go with that.
void checkExpert(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What a backward can compute again, and what else it can do without.
void checkRecompute(const Layout& layout, std::vector<Fault>& faults);
/// What an optimizer on the host goes with.
void checkOffload(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What activations on the host go with.
void checkSwap(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What number formats need of the schedule, and kernels of the model.
void checkPrecision(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// Degrees, devices, stages, batch and schedule together.
void checkParallel(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What replicas exchange, and what does not go with it.
void checkExchange(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What an optimizer needs of its numbers, and of how its state is shared out.
void checkOptimizer(const Layout& layout, std::vector<Fault>& faults);
/// Other numbers of replicas that a run may go on with; after all other rules.
void checkElasticity(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What a run records, and what is to befall it.
void checkRun(const Layout& layout, std::vector<Fault>& faults);

}  // namespace shardlab
