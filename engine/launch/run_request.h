// SPDX-License-Identifier: Apache-2.0
// How another program asks a run that goes on for another number of replicas: a file beside the run file, which the run's
// job takes away when it has read it. Whoever may write there may ask.
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <optional>

namespace shardlab {

/// "first.shardlab" is asked by "first.shardlab.resize".
std::filesystem::path resizeRequestFile(const std::filesystem::path& runFile);
/// Replaces one that was not taken. Error: the place cannot be written.
Status writeResizeRequest(const std::filesystem::path& runFile, int data);
/// The job's side: what is asked, once; an error where it cannot be understood. Nothing where nobody asks.
Result<std::optional<int>> takeResizeRequest(const std::filesystem::path& runFile);

}  // namespace shardlab
