// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/measurements.h"

#include "engine/base/units.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/accelerators.h"
#include "engine/predict/plan/measured_costs.h"
#include "engine/predict/plan/profile_store.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardlab::predict {
namespace {

bool onThisMachine(const Layout& layout) { return !layout.cluster.pace && layout.cluster.device == DeviceKind::Cpu; }

/// The time of the forward and the backward of all layers for one microbatch.
double wholeModel(const Profile& profile) {
    double seconds =
        profile.embedding.forward + profile.embedding.backward + profile.output.forward + profile.output.backward;
    for (int layer = 0; layer < blockCount(profile.layout.model); ++layer) {
        const PartProfile block = blockProfile(profile, layer);
        seconds += block.forward + block.backward;
    }
    return seconds;
}

double wholeModel(Layout layout, int threads) {
    DevicePreset device = modelledDevice(layout);
    device.fp32Flops *= threads;
    device.bf16Flops *= threads;
    device.fp16Flops *= threads;
    device.memoryBandwidth *= threads;
    layout.parallel = ParallelSpec{1, 1};
    layout.schedule = {};
    layout.cluster.hosts = {HostSpec{"localhost", 1}};
    const StageCosts costs = stepCosts(layout, Mesh(layout), device, {0}, threads).stages.front();
    return costs.forward + costs.backward;
}

/// Times of one format say nothing of another's.
bool sameFormats(const Layout& a, const Layout& b) { return numberFormats(a.precision) == numberFormats(b.precision); }

/// How unlike two microbatches' work is: the ratio of their operations, at least 1.
double unlikeness(const Layout& a, const Layout& b) {
    const auto flops = [](const Layout& layout) {
        return stageForwardFlops(layout.model, {blockCount(layout.model), true, true}, layout.batch.micro) /
               blockCount(layout.model);
    };
    return std::exp(std::abs(std::log(flops(a) / flops(b))));
}

}  // namespace

Measurements measurementsOfThisMachine() {
    Measurements measurements{thisMachine(), loadProfiles(), measureCoreSpeed()};
    std::erase_if(measurements.profiles, [&](const Profile& p) { return p.machine != measurements.machine; });
    return measurements;
}

Result<Measurements> measurementsOf(const std::filesystem::path& file) {
    auto profile = loadProfile(file);
    if (!profile) return fail(profile.error());
    Measurements measurements{profile->machine, {}, measureCoreSpeed()};
    measurements.profiles.push_back(std::move(*profile));
    return measurements;
}

CostBasis costBasis(const Measurements& measurements, const Layout& layout) {
    if (!onThisMachine(layout)) return {};
    if (const Profile* profile = fittingProfile(measurements.profiles, layout, measurements.machine))
        return {CostBasis::Kind::Measured, profile, 1};
    const Profile* alike = nullptr;
    for (const Profile& profile : measurements.profiles)
        if (onThisMachine(profile.layout) && sameFormats(profile.layout, layout) &&
            (alike == nullptr || unlikeness(profile.layout, layout) < unlikeness(alike->layout, layout)))
            alike = &profile;
    if (alike != nullptr)
        return {CostBasis::Kind::Likeness, alike, wholeModel(*alike) / wholeModel(alike->layout, alike->threads)};
    if (measurements.core.flops > 0) return {CostBasis::Kind::Core, nullptr, 1};
    return {};
}

DevicePreset rankDevice(const Layout& layout, const Mesh& mesh, const Measurements& measurements) {
    DevicePreset device = rankDevice(layout, mesh, measurements.cores());
    if (!onThisMachine(layout) || measurements.core.flops <= 0) return device;
    const int threads = threadsPerRank(mesh.ranks(), measurements.cores());
    device.fp32Flops = device.fp16Flops = measurements.core.flops * threads;  // fp16 is computed in fp32
    // Tiles wait for their factors: of the sixteenfold of fp32 a transformer's products reach two to four.
    constexpr double mostOfFp32 = 3;
    device.bf16Flops =
        std::clamp(measurements.core.bf16Flops, measurements.core.flops, mostOfFp32 * measurements.core.flops) *
        threads;
    if (measurements.core.memoryBandwidth <= 0) return device;
    device.memoryBandwidth = measurements.core.memoryBandwidth * threads;
    if (device.host) device.host->memoryBandwidth = device.memoryBandwidth;
    return device;
}

StepCosts stepCosts(const Layout& layout, const MeshGroups& groups, const std::vector<int>& rankOfStage,
                    const Measurements& measurements, const CostBasis& basis) {
    const Mesh& mesh = groups.mesh;
    // A likeness is a factor on the preset's own times.
    const DevicePreset device = basis.kind == CostBasis::Kind::Likeness ? rankDevice(layout, mesh, measurements.cores())
                                                                        : rankDevice(layout, mesh, measurements);
    StepCosts costs = stepCosts(layout, groups, device, rankOfStage, measurements.cores());
    if (basis.kind == CostBasis::Kind::Measured)
        return measuredCosts(std::move(costs), layout, mesh, rankOfStage, *basis.profile);
    if (basis.kind == CostBasis::Kind::Likeness)
        for (StageCosts& stage : costs.stages)
            for (double* seconds : {&stage.forward, &stage.backward, &stage.inputGrad, &stage.weightGrad})
                *seconds *= basis.factor;
    return costs;
}

Sentence basisNote(const CostBasis& basis, const Layout& layout) {
    if (!layout.cluster.pace && layout.cluster.device == DeviceKind::Cuda)
        return say("full speed: {}; times and memory are what the preset {} says",
                   accelerators().model.empty() ? say("no GPU of this machine is known")
                                                : say("on {}, not measured", accelerators().model),
                   modelledDevice(layout).title);
    if (!onThisMachine(layout)) return {};
    switch (basis.kind) {
    case CostBasis::Kind::Measured: return say("full speed: {}", profileNote(*basis.profile));
    case CostBasis::Kind::Likeness:
        return say("full speed: not measured; estimated from the profile of {} (microbatches of {}), whose layers take "
                   "{:.2g} × what the preset says. shardlab profile measures this layout{}",
                   basis.profile->layout.name, basis.profile->layout.batch.micro, basis.factor,
                   noiseNote(*basis.profile));
    case CostBasis::Kind::Core:
        return say("full speed: not measured; estimated from the clock and the memory of this machine's cores. "
                   "shardlab profile measures this layout");
    case CostBasis::Kind::Preset: break;
    }
    return say(
        "full speed: not measured; times are those of the preset's processor. shardlab profile measures this layout");
}

}  // namespace shardlab::predict
