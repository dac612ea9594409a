// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check_rules.h"
#include "engine/layout/devices.h"
#include "engine/layout/exchange.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab {

void checkSwap(const Layout& layout, std::span<const ScheduleMethod> schedules, std::vector<Fault>& faults) {
    if (!swapsActivations(layout.memory)) return;
    const auto refuse = [&](std::string what, std::string why, std::string legal) {
        faults.push_back({"/memory/swap", std::move(what), std::move(why), std::move(legal)});
    };
    const auto method = std::ranges::find(schedules, layout.schedule.kind, &ScheduleMethod::name);
    if (method != schedules.end() && !method->flushes)
        refuse(fmt::format("activations on the host with {}", method->name),
               "a microbatch's backward may be in another step than its forward, and how long it is unused differs from one to the next",
               "none; or a schedule with a flush, 1f1b");
    const Exchange exchange = exchangeOf(layout.parallel);
    if (exchange == Exchange::AsyncServer || exchange == Exchange::Hogwild)
        refuse(fmt::format("activations on the host with the exchange {}", layout.parallel.exchange),
               "each worker steps at its own pace, and the plan has no timeline of it behind which copies could be hidden",
               "none; or parallel.exchange allreduce");
    const DevicePreset* device = layout.cluster.pace ? findDevice(layout.cluster.pace->device) : nullptr;
    if (device != nullptr && !device->host)
        refuse(fmt::format("activations on the host of {}", device->name),
               "the device's file does not say how fast its host is",
               "none; or a \"host\" in the file, as resources/devices/a100-sxm.json has one");
}

}  // namespace shardlab
