// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/device_peak.h"

#include "engine/layout/formats.h"
#include "engine/predict/plan/accelerators.h"
#include "engine/predict/plan/costs.h"

#include <algorithm>
#include <fmt/format.h>

namespace shardlab::predict {

DevicePeak peakOf(const Layout& layout, const Mesh& mesh, const Measurements& measurements) {
    const DevicePreset device = rankDevice(layout, mesh, measurements);
    const int shared = sharedUnits(layout, measurements.cores()).count;
    const int devices = shared > 0 ? std::min(shared, mesh.ranks()) : mesh.ranks();
    const double flops = device.flops(numberFormats(layout.precision).activations) * devices;
    if (layout.cluster.pace || layout.cluster.device != DeviceKind::Cpu)
        return {flops, fmt::format("{} × {}, {}", devices, device.title, wordOf(layout.precision.compute))};
    const int cores = devices * std::max(1, measurements.cores() / mesh.ranks());
    return {flops, fmt::format("{} core{} of {}, {}", cores, cores == 1 ? "" : "s",
                               measurements.processorKnown() ? measurements.machine.processor
                                                             : std::string("the machine it ran on"),
                               wordOf(layout.precision.compute))};
}

bool knowsPeak(const Layout& layout, const Measurements& measurements) {
    if (layout.cluster.pace) return true;
    if (layout.cluster.hosts.size() > 1) return false;
    return layout.cluster.device == DeviceKind::Cpu ? measurements.core.flops > 0 : presetOf(accelerators()) != nullptr;
}

}  // namespace shardlab::predict
