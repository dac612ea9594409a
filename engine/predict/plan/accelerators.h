// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, as far as they can be known without CUDA: which preset describes them, how many there are.
#pragma once

#include "engine/layout/devices.h"

#include <filesystem>
#include <string>

namespace shardlab::predict {

struct Accelerators {
    std::string model;  ///< of the first, "NVIDIA H200"; empty where there is none
    int count = 0;
};

/// Reads what NVIDIA's driver shows below `folder`: a folder for each GPU, whose file "information" has a line "Model:
/// …".
Accelerators readAccelerators(const std::filesystem::path& folder);
/// This machine's accelerators, read once.
const Accelerators& accelerators();

/// The preset whose name begins with a word of the model: "h200" of "NVIDIA H200". Null: none does.
const DevicePreset* presetOf(const Accelerators& accelerators);

}  // namespace shardlab::predict
