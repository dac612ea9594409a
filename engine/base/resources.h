// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <filesystem>

namespace shardlab::base {

/// The folder with presets/, devices/ …: ../share/shardlab/resources beside the running program's folder, which in a
/// build folder is a link to the sources. May not exist: readers name the file they miss.
const std::filesystem::path& resourcesFolder();

/// Where the user's own things lie: $XDG_CONFIG_HOME/shardlab, else ~/.config/shardlab. Need not exist.
std::filesystem::path configurationFolder();

}  // namespace shardlab::base
