// SPDX-License-Identifier: Apache-2.0
// The actions of a pipeline in a report of Nsight Systems: NVTX ranges that PyTorch's schedules and Megatron name. A
// range of the host lasts as long as it takes to ask for the work; what the device did for it is its action.
#pragma once

#include "engine/trace/interchange/foreign_trace.h"
#include "engine/trace/interchange/pipeline_spans.h"

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardlab::trace {

/// What a range does; two where it sends and receives at once. Empty: it is no action.
std::vector<PipelineName> rangeActions(std::string_view text);

class NsightActions {
public:
    explicit NsightActions(ForeignTrace& trace) : trace_(trace) {}

    /// First all ranges. One within another of its thread is part of that.
    void addRange(const ForeignEvent& span, std::string_view text);
    void rangesEnd();
    /// Then all calls: whichever thread of the process asks for something while a range lasts, asks for it.
    void addCall(std::uint32_t process, std::int64_t begin, std::uint32_t launch);
    /// Then what devices did. True: it is a message, which is added as such.
    Result<bool> addWork(const ForeignEvent& span, bool message);
    /// Adds what computes.
    Status addTo();

private:
    struct Range {
        ForeignEvent span;
        std::vector<PipelineName> actions;
        std::int64_t first = std::numeric_limits<std::int64_t>::max();  ///< begin of its kernels
        std::int64_t last = std::numeric_limits<std::int64_t>::min();   ///< and end
    };
    Status put(const Range& range, const PipelineName& name, ForeignEvent span);

    ForeignTrace& trace_;
    std::vector<Range> ranges_;
    std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> ofProcess_;  ///< first and past the last in ranges_
    std::map<std::uint32_t, std::unordered_map<std::uint32_t, std::size_t>> launched_;  ///< by process: launch, range
};

}  // namespace shardlab::trace
