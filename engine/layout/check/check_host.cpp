// SPDX-License-Identifier: Apache-2.0
// What goes with an optimizer, and with activations, that lie on the host of their device.
#include "engine/layout/check/check_rules.h"

#include "engine/layout/suggest.h"
#include "engine/layout/devices.h"
#include "engine/layout/exchange.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::layout {
namespace {

/// Whose figures a modelled device needs.
void checkModelledHost(const Layout& layout, const char* pointer, std::string_view what, std::vector<Fault>& faults) {
    const DevicePreset* device = layout.cluster.pace ? findDevice(layout.cluster.pace->device) : nullptr;
    if (device == nullptr || device->host) return;
    faults.push_back({pointer, fmt::format("{} on the host of {}", what, device->name),
                      "the device's file does not say how fast its host is",
                      "none; or a \"host\" in the file, as resources/devices/a100-sxm.json has one"});
}

}  // namespace

void checkOffload(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!offloadsOptimizer(layout.memory)) return;
    const auto refuse = [&](std::string what, std::string why, std::string legal) {
        faults.push_back({"/memory/offload", std::move(what), std::move(why), std::move(legal)});
    };
    if (traits(layout.optimizer.kind).factored)
        refuse(fmt::format("{} on the host", wordOf(layout.optimizer.kind)),
               "its state is one number for each row and column, which a tensor group sums up on the devices: there is "
               "next to nothing to move",
               fmt::format("none; or optimizer.kind {}",
                           wordsWhere(optimizerTraits, [](const OptimizerTraits& each) { return !each.factored; })));
    const auto method = std::ranges::find(schedules, layout.schedule.kind, &ScheduleMethod::name);
    if (method != schedules.end() && !method->flushes)
        refuse(fmt::format("an optimizer on the host with {}", method->name),
               "its stages update in the middle of a step, and keep several versions of the weights on the device",
               "none; or a schedule with a flush, 1f1b");
    if (layout.parallel.exchange != Exchange::AllReduce)
        refuse(fmt::format("an optimizer on the host with the exchange {}", wordOf(layout.parallel.exchange)),
               "the replica that updates has weights in a memory that other ranks read or write",
               "none; or parallel.exchange allreduce");
    checkModelledHost(layout, "/memory/offload", "an optimizer", faults);
}

void checkSwap(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!swapsActivations(layout.memory)) return;
    const auto refuse = [&](std::string what, std::string why, std::string legal) {
        faults.push_back({"/memory/swap", std::move(what), std::move(why), std::move(legal)});
    };
    const auto method = std::ranges::find(schedules, layout.schedule.kind, &ScheduleMethod::name);
    if (method != schedules.end() && !method->flushes)
        refuse(fmt::format("activations on the host with {}", method->name),
               "a microbatch's backward may be in another step than its forward, and how long it is unused differs "
               "from one to the next",
               "none; or a schedule with a flush, 1f1b");
    const Exchange exchange = layout.parallel.exchange;
    if (exchange == Exchange::AsyncServer || exchange == Exchange::Hogwild)
        refuse(
            fmt::format("activations on the host with the exchange {}", wordOf(layout.parallel.exchange)),
            "each worker steps at its own pace, and the plan has no timeline that would show which copies are hidden",
            "none; or parallel.exchange allreduce");
    checkModelledHost(layout, "/memory/swap", "activations", faults);
}

}  // namespace shardlab::layout
