// SPDX-License-Identifier: Apache-2.0
// How long the search takes: GPT-3 175B (arXiv 2005.14165, table 2.1) on 8 to 4 096 H100, processor time of all
// threads. search_layouts [samples in a step [fewest GPUs]]: 1536 and 8 where not given.
#include "engine/base/units.h"
#include "engine/predict/search/search.h"
#include "tests/support/wings.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

using namespace shardlab::test;

namespace {

Layout gpt3(int devices, int batch) {
    Layout layout;
    layout.name = fmt::format("gpt3-175b on {}", devices);
    layout.model = {ModelKind::Gpt, 96, 12288, 96, 2048, 50257, 0};
    layout.cluster.hosts.clear();
    for (int host = 0; host < devices / 8; ++host) layout.cluster.hosts.push_back({fmt::format("node{}", host), 8});
    layout.cluster.pace = PaceSpec{"h100-sxm", 1};
    layout.batch.global = batch;
    return layout;
}

}  // namespace

int main(int argc, char** argv) {
    const int batch = argc > 1 ? std::atoi(argv[1]) : 1536;
    fmt::print("{:>8}  {:>8}  {:>8}  {:>10}  best\n", "devices", "layouts", "fitting", "time");
    for (int devices = argc > 2 ? std::atoi(argv[2]) : 8; devices <= 4096; devices *= 2) {
        const Layout layout = gpt3(devices, batch);
        const std::clock_t begin = std::clock();  // of this program: others do not disturb it
        const auto found = searchLayouts(layout);
        const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
        if (!found) {
            fmt::print("{:>8}  {}\n", devices, toText(found.error()));
            continue;
        }
        std::size_t fitting = 0;
        for (const Candidate& candidate : found->candidates) fitting += candidate.fits;
        const Candidate& best = found->candidates.front();
        fmt::print("{:>8}  {:>8}  {:>8}  {:>10}  data {} × pipeline {} × {} {}, micro {}: {} tokens/s, {}\n", devices,
                   found->candidates.size(), fitting, formatSeconds(seconds), best.choice.parallel.data,
                   best.choice.parallel.pipeline, best.choice.chunks, best.choice.kind, best.choice.micro,
                   formatCount(best.tokensPerSecond), formatBytes(best.peakBytes));
    }
}
