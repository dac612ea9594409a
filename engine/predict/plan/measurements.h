// SPDX-License-Identifier: Apache-2.0
// What is known of this machine, in place of presets: a value that is handed to whoever predicts, so that the same
// layout and the same measurements always give the same figures.
#pragma once

#include "engine/base/sentence.h"
#include "engine/predict/plan/core_speed.h"
#include "engine/predict/plan/costs.h"
#include "engine/predict/plan/profile.h"

#include <filesystem>
#include <string>
#include <vector>

namespace shardlab::predict {

/// Empty: presets alone.
struct Measurements {
    Machine machine;
    std::vector<Profile> profiles;
    CoreSpeed core;
    int cores() const { return processorKnown() ? machine.cores : hostCores(); }
    bool processorKnown() const { return !machine.processor.empty(); }
};

/// The profiles of this machine in the user's folder, and the speed of its cores. Under 100 ms.
Measurements measurementsOfThisMachine();
/// Reads the measurements of one file alone.
Result<Measurements> measurementsOf(const std::filesystem::path& profile);

/// Where a layout's times come from. Only layouts at full speed on this machine's cores have others than a preset's.
struct CostBasis {
    enum class Kind : std::uint8_t {
        Preset,
        Core,      ///< the preset with the speed of this machine's cores
        Likeness,  ///< the preset, times what a profile of another model or microbatch took against it
        Measured,  ///< a profile that fits
    };
    Kind kind = Kind::Preset;
    const Profile* profile = nullptr;  ///< one of the measurements'
    double factor = 1;                 ///< of Likeness
};
CostBasis costBasis(const Measurements& measurements, const Layout& layout);
/// What one rank computes on, as rankDevice() in costs.h, with the speed of this machine's cores where it is known.
DevicePreset rankDevice(const Layout& layout, const Mesh& mesh, const Measurements& measurements);
/// The costs that stepCosts() in costs.h gives, based on these measurements.
StepCosts stepCosts(const Layout& layout, const MeshGroups& groups, const std::vector<int>& rankOfStage,
                    const Measurements& measurements, const CostBasis& basis);
/// What a reader should know of it: "times were measured on this machine on 2026-11-20 …". Empty for presets of devices
/// that are not this machine.
Sentence basisNote(const CostBasis& basis, const Layout& layout);

}  // namespace shardlab::predict
