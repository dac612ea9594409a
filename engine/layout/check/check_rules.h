// SPDX-License-Identifier: Apache-2.0
// The parts of check(): each adds the faults it finds and looks at nothing but the layout.
#pragma once

#include "engine/layout/fault.h"
#include "engine/layout/layout.h"
#include "engine/layout/schedule_method.h"

#include <span>
#include <vector>

namespace shardlab::layout {

/// The layout's schedule where it updates without a flush, which many rules do not allow; null where it flushes, or is
/// not known.
inline const ScheduleMethod* flushlessMethod(const Layout& layout, std::span<const ScheduleMethod> schedules) {
    const ScheduleMethod* method = methodNamed(layout.schedule.kind, schedules);
    return method != nullptr && !method->flushes ? method : nullptr;
}

/// Each field by itself: limits, names of registries, hosts.
void checkFields(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// Model and data: heads, experts, vocabulary, paths, sizes that can be counted.
void checkModel(const Layout& layout, std::vector<Fault>& faults);
/// Widths of a latent attention.
void checkLatent(const Layout& layout, std::vector<Fault>& faults);
/// What a cnn needs: the size of its images, and no group that would divide them.
void checkCnn(const Layout& layout, std::vector<Fault>& faults);
/// What a tensor group can divide: heads, columns, vocabulary, tokens.
void checkTensor(const Layout& layout, std::vector<Fault>& faults);
/// How a context group cuts sequences.
void checkContext(const Layout& layout, std::vector<Fault>& faults);
/// How experts are spread over ranks, and what cannot be combined with that.
void checkExpert(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What a backward can compute again, and which activations can be kept in fewer bits.
void checkRecompute(const Layout& layout, std::vector<Fault>& faults);
/// What a modelled software stack needs to know of device and model.
void checkStack(const Layout& layout, std::vector<Fault>& faults);
/// What cannot be combined with an optimizer on the host.
void checkOffload(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What cannot be combined with activations on the host.
void checkSwap(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What a loss scale needs of the schedule, and CUDA kernels of the model.
void checkPrecision(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// Groups of data ranks that share a copy of what ZeRO divides (HSDP).
void checkCopies(const Layout& layout, std::vector<Fault>& faults);
/// Degrees, devices, stages, batch and schedule together.
void checkParallel(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What replicas exchange, and what cannot be combined with that.
void checkExchange(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What gradients in codes do not go with.
void checkCoded(const Layout& layout, std::vector<Fault>& faults);
/// What an optimizer needs of its numbers, and of how its state is divided.
void checkOptimizer(const Layout& layout, std::vector<Fault>& faults);
/// Other numbers of replicas that a run may go on with; after all other rules.
void checkElasticity(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults);
/// What a run records, and the faults that are brought about on purpose.
void checkRun(const Layout& layout, std::vector<Fault>& faults);

}  // namespace shardlab::layout
