// SPDX-License-Identifier: Apache-2.0
// Layouts shipped in resources/presets.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/layout.h"

#include <string>
#include <vector>

namespace shardlab::layout {

struct Preset {
    std::string name;     ///< file name without .layout.json
    std::string summary;  ///< one line: model, degrees, what it teaches (resources/presets/index.json)
    Layout layout;
    std::string family = {};  ///< what it stands with where presets are listed: "Pipelines"
};

/// All presets in the order of the index, smallest first.
Result<std::vector<Preset>> presets();
Result<Preset> findPreset(std::string_view name);

}  // namespace shardlab::layout
