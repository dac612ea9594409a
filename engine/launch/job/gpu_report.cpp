// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/gpu_report.h"

namespace shardlab::launch {

GpuReport readGpuReport(const std::vector<std::string>& lines) {
    GpuReport report;
    for (const std::string& line : lines) {
        const auto take = [&line](std::string_view prefix, std::string& into) {
            if (!line.starts_with(prefix)) return false;
            into = line.substr(prefix.size());
            return true;
        };
        if (take("no GPU: ", report.whyNone) || take("no NCCL: ", report.whyNoNccl) || take("NCCL ", report.nccl))
            continue;
        if (std::string name; take("GPU ", name)) report.names.push_back(std::move(name));
    }
    return report;
}

}  // namespace shardlab::launch
