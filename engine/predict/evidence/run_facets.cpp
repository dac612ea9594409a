// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/run_facets.h"

#include "engine/base/units.h"
#include "engine/layout/devices.h"
#include "engine/layout/mesh/mesh.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/evidence/published_ground.h"

#include <fmt/format.h>

namespace shardlab::predict {

std::string_view name(RunFacet facet) {
    constexpr std::array<std::string_view, runFacets.size()> names{"device", "model", "method", "stack", "source"};
    return names[static_cast<std::size_t>(facet)];
}

std::vector<std::string> facetValues(const PublishedRun& run, RunFacet facet) {
    if (facet == RunFacet::Device) return {run.device};
    if (facet == RunFacet::Source) return {run.source};
    if (!run.refused.empty()) return {};
    const Layout& layout = run.layout;
    if (facet == RunFacet::Stack) return {layout.cluster.pace->stack};
    if (facet == RunFacet::Model)
        return {fmt::format("{}, {}", traits(layout.model.kind).word,
                            formatCount(static_cast<double>(modelParameters(layout.model))))};
    std::vector<std::string> methods;
    for (const std::string_view method : likenessMethods(layout)) methods.emplace_back(method);
    if (methods.empty()) methods.emplace_back("data alone");
    return methods;
}

std::string devicesText(const PublishedRun& run) {
    const DevicePreset* device = run.refused.empty() ? findDevice(run.layout.cluster.pace->device) : nullptr;
    return device ? fmt::format("{} × {}", rankCount(run.layout), device->title) : run.device;
}

}  // namespace shardlab::predict
