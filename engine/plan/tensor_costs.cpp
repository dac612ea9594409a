// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/tensor_costs.h"

#include "engine/layout/formats.h"
#include "engine/layout/recompute.h"

#include <algorithm>

namespace shardlab {
namespace {

constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);

/// Writes the lists, collective by collective.
class Collectives {
public:
    Collectives(const Layout& layout, const Link& link)
        : splits_(layout.parallel.sequence), members_(layout.parallel.tensor), link_(link),
          token_(fp32 * layout.batch.micro * layout.model.sequence),
          activation_(numberFormats(layout.precision).activationBytes() * layout.batch.micro * layout.model.sequence *
                      layout.model.hidden),
          norm_(2 * fp32 * layout.model.hidden) {}

    /// TensorGroup's calls.
    void gather(std::vector<TensorCost>& list, int layer) const {
        if (splits_) list.push_back(half(EventKind::TensorAllGather, layer));
    }
    void sum(std::vector<TensorCost>& list, int layer) const {
        list.push_back(splits_ ? half(EventKind::TensorReduceScatter, layer) : whole(layer, activation_));
    }
    void sumOverTokens(std::vector<TensorCost>& list, int layer) const {
        if (splits_) list.push_back(whole(layer, norm_));
    }
    /// `numbers` a token, fp32.
    void overMembers(std::vector<TensorCost>& list, int layer, int numbers) const {
        list.push_back(whole(layer, numbers * token_));
    }

private:
    TensorCost whole(int layer, std::int64_t bytes) const {
        return {EventKind::TensorAllReduce, layer, bytes, allReduceSeconds(double(bytes), members_, link_)};
    }
    TensorCost half(EventKind kind, int layer) const {
        return {kind, layer, activation_, allReduceSeconds(double(activation_), members_, link_) / 2};
    }

    bool splits_;
    int members_;
    const Link& link_;
    std::int64_t token_, activation_, norm_;
};

}  // namespace

double seconds(const std::vector<TensorCost>& collectives) {
    double sum = 0;
    for (const TensorCost& collective : collectives) sum += collective.seconds;
    return sum;
}

double secondsAgain(const std::vector<TensorCost>& collectives) {
    double sum = 0;
    for (const TensorCost& collective : collectives) sum += collective.again ? collective.seconds : 0;
    return sum;
}

double allReduceSeconds(double bytes, int n, const Link& link) {
    if (n < 2) return 0;
    return 2.0 * (n - 1) / n * bytes / link.bandwidth + 2.0 * (n - 1) * link.latency;
}

TensorCosts tensorCosts(const Layout& layout, const StageShape& stage, const Link& link) {
    const Collectives group(layout, link);
    const int branches = layout.model.kind == "gpt" ? 2 : 1;  // attention and feed-forward, each with a norm
    const int end = stage.firstLayer + stage.layers;
    const auto forward = [&](std::vector<TensorCost>& list, int first, int last) {
        for (int i = first * branches; i < last * branches; ++i) {
            group.gather(list, i / branches);  // the norm, for the first product
            group.sum(list, i / branches);     // the projection
        }
    };
    TensorCosts costs;
    constexpr std::size_t atEnds = 4;
    const auto inBlocks = static_cast<std::size_t>(2 * branches * stage.layers);
    costs.forward.reserve(inBlocks + atEnds);
    costs.inputGrad.reserve(2 * inBlocks + atEnds);
    costs.weightGrad.reserve(inBlocks + atEnds);
    if (stage.first) group.sum(costs.forward, -1);
    forward(costs.forward, stage.firstLayer, end);
    if (stage.last) {
        constexpr int output = -2;
        group.gather(costs.forward, output);
        group.overMembers(costs.forward, output, 1);  // the largest logit
        group.overMembers(costs.forward, output, 2);  // the sum, and the target's logit
        group.sum(costs.inputGrad, output);
        group.gather(costs.weightGrad, output);
        group.sumOverTokens(costs.weightGrad, output);
    }
    std::vector<int> segments = recomputeSegments(layout.memory, stage.layers);
    const bool again = !segments.empty();
    if (!again) segments = {stage.layers};
    for (int last = end; !segments.empty(); segments.pop_back()) {
        const int first = last - segments.back();
        if (again) {
            const std::size_t before = costs.inputGrad.size();
            forward(costs.inputGrad, first, last);
            for (std::size_t i = before; i < costs.inputGrad.size(); ++i) costs.inputGrad[i].again = true;
        }
        for (int i = last * branches; i-- > first * branches;) {
            group.gather(costs.inputGrad, i / branches);  // the output's gradient
            group.sum(costs.inputGrad, i / branches);     // the norm's
            group.gather(costs.weightGrad, i / branches);
            group.sumOverTokens(costs.weightGrad, i / branches);
        }
        last = first;
    }
    if (stage.first) group.gather(costs.weightGrad, -1);
    return costs;
}

std::vector<TensorSpan> spansWithin(std::initializer_list<const std::vector<TensorCost>*> lists, double duration,
                                    bool together) {
    std::vector<TensorCost> all;
    for (const auto* list : lists) all.insert(all.end(), list->begin(), list->end());
    if (all.empty() || duration <= 0) return {};
    const double communicating = seconds(all);
    if (together) {
        TensorCost one = all.front();
        one.bytes = 0;
        for (const TensorCost& collective : all) one.bytes += collective.bytes;
        one.seconds = communicating;
        all = {one};
    }
    std::vector<TensorSpan> spans;
    spans.reserve(all.size());
    const double computing = std::max(0.0, duration - communicating) / static_cast<double>(all.size());
    double time = 0;
    for (const TensorCost& collective : all) {
        const double begin = time + computing;
        time = begin + collective.seconds;
        spans.push_back({collective.kind, collective.layer, collective.bytes, begin / duration, time / duration});
    }
    return spans;
}

}  // namespace shardlab
