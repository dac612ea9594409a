// SPDX-License-Identifier: Apache-2.0
#include "app/cli/layout_argument.h"
#include "app/cli/print.h"
#include "app/cli/verbs.h"
#include "engine/launch/job/input_files.h"
#include "engine/layout/data/sampler.h"
#include "engine/layout/mesh/mesh.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace shardlab::cli {

namespace {

struct SamplesOptions {
    LayoutArgument layout;
    int rank = 0;
    int step = 0;
    int tokens = 16;
    bool json = false;
};

/// One sample of a microbatch, as far as it is a rank's.
struct RankSample {
    int microbatch = 0;
    std::int64_t sample = 0;  ///< counted from the first of the run
    std::int64_t window = 0;  ///< of the training data
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> targets;
};

std::vector<RankSample> samplesOf(Sampler& sampler, const Layout& layout, int step) {
    std::vector<RankSample> all;
    const auto micro = static_cast<std::size_t>(layout.batch.micro);
    for (int microbatch = 0; microbatch < microbatches(layout); ++microbatch) {
        const MicrobatchTokens made = sampler.train(step, microbatch);
        const auto part = [&](const std::vector<std::int32_t>& of, std::size_t i) {
            const std::size_t each = of.size() / micro;
            const auto first = of.begin() + static_cast<std::ptrdiff_t>(i * each);
            return std::vector<std::int32_t>(first, first + static_cast<std::ptrdiff_t>(each));
        };
        for (std::size_t i = 0; i < micro; ++i)
            all.push_back({microbatch, made.firstSample + static_cast<std::int64_t>(i),
                           sampler.trainWindow(step, microbatch, static_cast<int>(i)), part(made.tokens, i),
                           part(made.targets, i)});
    }
    return all;
}

std::string textOf(const std::vector<RankSample>& samples, int shown) {
    Table table({"microbatch", "sample", "window", "tokens", "targets"});
    const auto numbers = [&](const std::vector<std::int32_t>& all) {
        const auto count = shown > 0 ? std::min(all.size(), static_cast<std::size_t>(shown)) : all.size();
        const auto first = std::span(all).first(count);
        return fmt::format("{}{}", fmt::join(first, " "), count < all.size() ? fmt::format(" … {}", all.size()) : "");
    };
    for (const RankSample& each : samples)
        table.add({std::to_string(each.microbatch), std::to_string(each.sample), std::to_string(each.window),
                   numbers(each.tokens), numbers(each.targets)});
    return table.text();
}

int samples(const SamplesOptions& options) {
    const Result<LoadedLayout> loaded = load(options.layout);
    if (!loaded) return failWith(loaded.error());
    const Layout& layout = loaded->layout;
    std::vector<Fault> faults = loaded->faults;
    if (faults.empty()) faults = misfits(layout, false);
    if (!faults.empty()) return failWith(faults);
    const Mesh mesh(layout);
    if (options.rank < 0 || options.rank >= mesh.ranks())
        return failWith({"there is no such rank", "--rank", fmt::format("the layout has {} ranks", mesh.ranks()),
                         fmt::format("0 to {}", mesh.ranks() - 1)});
    const auto share = batchShare(layout, options.rank);
    if (!share)
        return failWith({"the rank takes no samples", "--rank",
                         "it is the parameter server, which computes no gradient", "another rank"});
    const Result<Corpus> corpus = Corpus::load(layout);
    if (!corpus) return failWith(corpus.error());
    Sampler sampler(*corpus, layout, *share);
    std::vector<RankSample> all;
    try {
        all = samplesOf(sampler, layout, options.step);
    } catch (const std::runtime_error& unreadable) {
        return failWith({"cannot read the samples", layout.data.path, unreadable.what(), ""});
    }
    if (!options.json) {
        print(fmt::format("rank {}{}{}, step {}; {}\n\n", options.rank, mesh.label(options.rank).empty() ? "" : ", ",
                          mesh.label(options.rank), options.step, corpus->summary()) +
              textOf(all, options.tokens));
        return success;
    }
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const RankSample& each : all)
        list.push_back({{"microbatch", each.microbatch},
                        {"sample", each.sample},
                        {"window", each.window},
                        {"tokens", each.tokens},
                        {"targets", each.targets}});
    print(nlohmann::ordered_json{{"rank", options.rank}, {"step", options.step}, {"samples", list}}.dump() + "\n");
    return success;
}

}  // namespace

void addSamples(CommandLine& line) {
    Verb verb(line, "samples", "Print which samples a rank computes in a step, and their tokens");
    const auto options = std::make_shared<SamplesOptions>();
    options->layout.addTo(verb);
    verb.option("--rank", options->rank, "The rank").nonNegative().showDefault();
    verb.option("--step", options->step, "The step, counted from 0").nonNegative().showDefault();
    verb.option("--tokens", options->tokens, "Tokens of each sample in the table; 0: all").nonNegative().showDefault();
    verb.flag("--json", options->json, "Answer with one JSON object that has all tokens and targets");
    verb.footer(
        "In a context group a rank has its part of each sample. Ranks that differ along other axes than data and "
        "context have the same samples.");
    verb.runs([options] { return samples(*options); });
}

}  // namespace shardlab::cli
