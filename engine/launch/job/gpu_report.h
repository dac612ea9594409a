// SPDX-License-Identifier: Apache-2.0
// What shardlab-rank says of the GPUs of the host it is on when it is started with --gpus.
#pragma once

#include "engine/base/wings.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::launch {

inline constexpr std::string_view gpusArgument = "--gpus";
/// A driver that has slept takes some seconds to wake its GPUs.
inline constexpr std::chrono::seconds gpusPatience{30};

struct GpuReport {
    std::vector<std::string> names;
    std::string whyNone;    ///< why there are no GPUs; empty: nothing was said
    std::string nccl;       ///< "2.28.3"; empty: there is no NCCL
    std::string whyNoNccl;  ///< empty: it was not asked for
};

/// Lines that say nothing of GPUs are passed over.
GpuReport readGpuReport(const std::vector<std::string>& lines);

}  // namespace shardlab::launch
