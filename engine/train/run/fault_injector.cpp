// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/fault_injector.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace shardlab::train {

FaultInjector::FaultInjector(std::vector<InjectedFault> own, Recorder& recorder, std::function<void()> settle)
    : own_(std::move(own)), recorder_(recorder), settle_(std::move(settle)) {}

void FaultInjector::beginStep(int step) {
    // A lasting fault begins late where the run goes on from a checkpoint behind the fault's step.
    const auto due = [step](const InjectedFault& fault) {
        return fault.happensOnce() ? fault.after == step : fault.after <= step;
    };
    const auto first =
        std::stable_partition(own_.begin(), own_.end(), [&](const InjectedFault& fault) { return !due(fault); });
    const std::vector<InjectedFault> now(first, own_.end());
    own_.erase(first, own_.end());
    for (const InjectedFault& fault : now) {
        const std::int64_t time = recorder_.now();
        recorder_.record({.begin = time,
                          .end = time,
                          .bytes = static_cast<std::int64_t>(fault.kind),
                          .value = fault.factor,
                          .step = step,
                          .lane = Lane::Host,
                          .kind = EventKind::InjectedFault});
        if (!fault.happensOnce()) {
            slowdown_ = std::max(slowdown_, fault.factor);
            continue;
        }
        settle_();
        std::raise(fault.kind == InjectedFaultKind::Kill ? SIGKILL : SIGSTOP);
    }
}

}  // namespace shardlab::train
