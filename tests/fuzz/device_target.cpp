// SPDX-License-Identifier: Apache-2.0
// What tells the planner of a machine: devices written by hand, and profiles.
#include "engine/layout/devices.h"
#include "engine/predict/plan/profile.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <cmath>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

void device(std::string_view text) {
    const auto read = parseDevice("ours", text);
    if (!read) return requireClear(read.error());
    for (const double figure : {read->fp32Flops, read->bf16Flops, read->matmulEfficiency, read->memoryBandwidth,
                                read->inNode.bandwidth, read->betweenNodes.bandwidth})
        require(std::isfinite(figure) && figure > 0, "a device has figures that can be divided by");
    for (const double seconds : {read->kernelSeconds, read->inNode.latency, read->betweenNodes.latency})
        require(seconds >= 0 && seconds <= 1, "what takes time takes no more than a second");
    if (read->host) {
        require(std::isfinite(read->host->link.bandwidth) && read->host->link.bandwidth > 0 &&
                    read->host->memoryBandwidth > 0,
                "a host has figures that can be divided by");
        require(read->host->link.latency >= 0 && read->host->link.latency <= 1,
                "what takes time takes no more than a second");
    }
    require(read->memoryBytes > 0, "a device has memory");
    require(!read->title.empty() && !read->source.empty(), "a device says what it is");
}

void profile(std::string_view text) {
    const auto read = parseProfile(text);
    if (!read) return requireClear(read.error());
    const auto again = parseProfile(writeProfile(*read));
    require(again.has_value(), "a profile comes back");
    require(*again == *read, "as it was written");
    for (const double seconds : {read->embedding.forward, read->output.backward, read->send.seconds, read->stepSeconds})
        require(std::isfinite(seconds) && seconds >= 0, "what takes time takes some");
    require(!read->blocks.empty(), "a profile has blocks");
    require(read->threads >= 0 && read->machine.cores >= 0, "counts are not negative");
    const PartProfile block = blockProfile(*read, read->layout.model.layers - 1);
    require(block.forward >= 0 && block.weightBytes >= 0, "a block has the figures of its parts");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const bool whole = input.number<std::uint8_t>() % 2 == 0;
    whole ? profile(input.rest()) : device(input.rest());
    return 0;
}
