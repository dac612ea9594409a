// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/tensor_costs.h"

#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/stacks.h"

#include <algorithm>
#include <ranges>

namespace shardlab::predict {
namespace {

/// Writes the lists, collective by collective.
class Collectives {
public:
    Collectives(const Layout& layout, const Link& link)
        : splits_(layout.parallel.sequence), members_(layout.parallel.tensor), link_(link),
          token_(fp32Bytes * layout.batch.micro * (layout.model.sequence / layout.parallel.context)),
          column_(numberFormats(layout.precision).activationBytes() * layout.batch.micro *
                  (layout.model.sequence / layout.parallel.context)),
          activation_(column_ * layout.model.hidden),
          norm_(normNumbers(layout.model) * fp32Bytes * layout.model.hidden),
          headNorms_(fp32Bytes * queryKeyNormParameters(layout.model)) {}

    /// TensorGroup's calls, for activations h wide or of so many columns.
    void gather(std::vector<TensorCost>& list, int layer) const { gatherBytes(list, layer, activation_); }
    void gather(std::vector<TensorCost>& list, int layer, std::int64_t columns) const {
        gatherBytes(list, layer, columns * column_);
    }
    void sum(std::vector<TensorCost>& list, int layer) const { sumBytes(list, layer, activation_); }
    void sum(std::vector<TensorCost>& list, int layer, std::int64_t columns) const {
        sumBytes(list, layer, columns * column_);
    }
    void joinParts(std::vector<TensorCost>& list, int layer) const {
        list.push_back(half(EventKind::TensorAllGather, layer, activation_));
    }
    /// The gradients of a norm, or so many numbers in fp32.
    void sumOverTokens(std::vector<TensorCost>& list, int layer) const {
        if (splits_) list.push_back(whole(layer, norm_));
    }
    void sumOverTokens(std::vector<TensorCost>& list, int layer, std::int64_t numbers) const {
        if (splits_) list.push_back(whole(layer, fp32Bytes * numbers));
    }
    /// The gradients of the norms of queries and keys, which each member has of its own heads.
    void sumHeadNorms(std::vector<TensorCost>& list, int layer) const {
        if (members_ > 1 && headNorms_ > 0) list.push_back(whole(layer, headNorms_));
    }
    /// `numbers` a token, fp32Bytes.
    void overMembers(std::vector<TensorCost>& list, int layer, int numbers) const {
        if (members_ > 1) list.push_back(whole(layer, numbers * token_));
    }
    /// Adds the update's all-reduce of `numbers` numbers in fp32; adds nothing where there are none.
    void ofUpdate(std::vector<TensorCost>& list, std::int64_t numbers) const {
        constexpr int allLayers = -3;
        if (numbers > 0 && members_ > 1) list.push_back(whole(allLayers, fp32Bytes * numbers));
    }

private:
    TensorCost whole(int layer, std::int64_t bytes) const {
        return {EventKind::TensorAllReduce, layer, bytes, allReduceSeconds(double(bytes), members_, link_)};
    }
    TensorCost half(EventKind kind, int layer, std::int64_t bytes) const {
        return {kind, layer, bytes, allReduceSeconds(double(bytes), members_, link_) / 2};
    }
    void gatherBytes(std::vector<TensorCost>& list, int layer, std::int64_t bytes) const {
        if (splits_) list.push_back(half(EventKind::TensorAllGather, layer, bytes));
    }
    void sumBytes(std::vector<TensorCost>& list, int layer, std::int64_t bytes) const {
        if (members_ > 1)
            list.push_back(splits_ ? half(EventKind::TensorReduceScatter, layer, bytes) : whole(layer, bytes));
    }

    bool splits_;
    int members_;
    const Link& link_;
    std::int64_t token_, column_, activation_, norm_, headNorms_;
};

/// What the first products of a branch read, and what is summed for it: the norm's output, or in a latent attention
/// each latent by itself. model/latent_attention_layer.cpp has them in this order.
class BranchInput {
public:
    BranchInput(const Collectives& group, const ModelSpec& model)
        : group_(group), latent_(latentAttention(model)), hidden_(model.hidden), block_(model.block),
          down_(downColumns(model)) {}

    void gather(std::vector<TensorCost>& list, int layer, bool attention) const {
        if (!attention || !latent_) return group_.gather(list, layer);
        group_.gather(list, layer, block_.queryRank > 0 ? block_.queryRank : hidden_);
        group_.gather(list, layer, block_.kvRank);
    }
    /// The turned part of the keys, wherever queries and keys are made for the core.
    void gatherKey(std::vector<TensorCost>& list, int layer, bool attention) const {
        if (attention && latent_) group_.gather(list, layer, block_.ropeWidth);
    }
    void sum(std::vector<TensorCost>& list, int layer, bool attention) const {
        if (!attention || !latent_) return group_.sum(list, layer);
        group_.sum(list, layer, block_.ropeWidth);
        if (block_.queryRank > 0) group_.sum(list, layer, block_.queryRank);
        group_.sum(list, layer, block_.kvRank);
        if (block_.queryRank == 0) group_.sum(list, layer);
    }
    /// The gradients of what each member has whole, behind the layer's norm.
    void sumOverTokens(std::vector<TensorCost>& list, int layer, bool attention) const {
        if (!attention || !latent_) return;
        if (block_.queryRank > 0) group_.sumOverTokens(list, layer, block_.queryRank);
        group_.sumOverTokens(list, layer, block_.kvRank);
        group_.sumOverTokens(list, layer, hidden_ * down_);
    }

private:
    const Collectives& group_;
    bool latent_;
    std::int64_t hidden_;
    const BlockSpec& block_;
    std::int64_t down_;
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

double allToAllSeconds(double bytes, int n, const Link& link) {
    return (n - 1.0) / n * bytes / link.bandwidth + (n - 1.0) * link.latency;
}

bool travelsOverFolds(const Layout& layout) {
    const int folds = expertFolds(layout.parallel);
    return folds > 1 && folds == layout.parallel.tensor && modelledStack(layout) != nullptr;
}

int exchangeMembers(const Layout& layout) {
    return travelsOverFolds(layout) ? layout.parallel.expert : expertSpread(layout.parallel);
}

double allReduceSeconds(double bytes, int n, const Link& link) {
    if (n < 2) return 0;
    return 2.0 * (n - 1) / n * bytes / link.bandwidth + 2.0 * (n - 1) * link.latency;
}

namespace {

/// A factored optimizer puts together what it keeps of rows and columns, then the totals of tensors where it has some;
/// of a tied embedding, with h numbers, each apart. Where replicas own layers, the mean of them.
std::vector<TensorCost> updateCosts(const Layout& layout, const StageShape& stage, bool tied,
                                    const Collectives& group) {
    std::vector<TensorCost> update;
    const OptimizerTraits& optimizer = traits(layout.optimizer.kind);
    if (!optimizer.factored) return update;
    FactoredNumbers sum;
    for (const FactoredNumbers& unit : factoredUnits(layout.model, stage, tensorShare(layout))) sum += unit;
    const int owners = layout.parallel.zero > 0 ? replicasOfCopy(layout.parallel) : 1;
    const std::int64_t apart = tied ? layout.model.hidden : 0;
    group.ofUpdate(update, apart / owners);
    group.ofUpdate(update, (sum.parts - apart) / owners);
    if (optimizer.totals == 0) return update;
    group.ofUpdate(update, tied ? 1 : 0);
    group.ofUpdate(update, (sum.cut - (tied ? 1 : 0)) / owners);
    return update;
}

}  // namespace

TensorCosts tensorCosts(const Layout& layout, const StageShape& stage, bool tied, const Link& link,
                        const ContextTraffic& context, const Link& expertLink) {
    const Collectives group(layout, link);
    const BranchInput input(group, layout.model);
    const int branches = hasAttention(layout.model) ? 2 : 1;  // attention and feed-forward, each with a norm
    const int end = stage.firstLayer + stage.layers;
    // The first branch of a block is its attention, in which a context group meets.
    const auto isAttention = [&](int branch) { return branches == 2 && branch % 2 == 0; };
    const auto attends = [&](int branch) { return context.members > 1 && isAttention(branch); };
    const auto travel = [&](std::vector<TensorCost>& list, int layer, const std::vector<ContextStep>& steps) {
        for (const ContextStep& step : steps)
            list.push_back({context.kind, layer, step.bytes, std::max(0.0, step.seconds - step.cover), false,
                            step.cover, std::min(step.seconds, step.cover)});
    };
    // The last branch of a block with experts sends its tokens to the experts and back.
    const auto routes = [&](int branch) {
        return branch % branches == branches - 1 && hasExperts(layout.model, branch / branches);
    };
    // Nothing of all tokens is needed where only rows of own tokens leave.
    const bool local = travelsOverFolds(layout) && layout.parallel.sequence && layout.model.experts.shared == 0;
    const auto meets = [&](int branch) { return !local || !routes(branch); };
    const int members = exchangeMembers(layout);
    const std::int64_t rowBytes = numberFormats(layout.precision).activationBytes() *
                                  expertRows(layout.model, layout.batch.micro, tensorShare(layout)) *
                                  layout.model.hidden;
    const auto rows = [&](std::vector<TensorCost>& list, int branch) {
        const int layer = branch / branches;
        if (members == 1 || !routes(branch)) return;
        for (const EventKind kind : {EventKind::DispatchTokens, EventKind::CombineTokens})
            list.push_back({kind, layer, rowBytes, allToAllSeconds(double(rowBytes), members, expertLink)});
    };
    // The first branch of a module's block joins two inputs, of which one is an embedding.
    const auto joins = [&](int branch) { return isAttention(branch) && ofModule(layout.model, branch / branches); };
    const auto forward = [&](std::vector<TensorCost>& list, int firstBranch, int endBranch) {
        for (int i = firstBranch; i < endBranch; ++i) {
            if (joins(i)) group.sum(list, i / branches);  // the embedding
            if (meets(i)) input.gather(list, i / branches, isAttention(i));
            input.gatherKey(list, i / branches, isAttention(i));
            if (attends(i)) travel(list, i / branches, context.forward);
            rows(list, i);
            if (meets(i)) group.sum(list, i / branches);  // the projection
        }
    };
    TensorCosts costs;
    costs.update = updateCosts(layout, stage, tied, group);
    constexpr std::size_t atEnds = 4;
    const auto inBlocks = static_cast<std::size_t>((latentAttention(layout.model) ? 4 : 2) * branches * stage.layers);
    costs.forward.reserve(inBlocks + atEnds);
    costs.inputGrad.reserve(2 * inBlocks + atEnds);
    costs.weightGrad.reserve(inBlocks + atEnds);
    if (stage.first) group.sum(costs.forward, embeddingLayer);
    forward(costs.forward, stage.firstLayer * branches, end * branches);
    if (stage.last) {
        for (int head = 0; head <= predictionModules(layout.model); ++head) {
            group.gather(costs.forward, outputLayer);
            group.overMembers(costs.forward, outputLayer, 1);  // the largest logit
            group.overMembers(costs.forward, outputLayer, 2);  // the sum, and the target's logit
            group.sum(costs.inputGrad, outputLayer);
            group.gather(costs.weightGrad, outputLayer);
        }
        group.sumOverTokens(costs.weightGrad, outputLayer);
    }
    // Where the core is computed again, what it reads comes once more.
    const auto travelAgain = [&](int layer) {
        if (!recomputesCore(layout.memory)) return;
        const std::size_t before = costs.inputGrad.size();
        travel(costs.inputGrad, layer, context.forward);
        for (std::size_t i = before; i < costs.inputGrad.size(); ++i) costs.inputGrad[i].again = true;
    };
    // A program that has a product for each matrix does one again in each half, which reads all tokens.
    const SoftwareStack* const stack = modelledStack(layout);
    const bool gathersAgain = stack && stack->splitsProducts;
    for (const RecomputedBlocks& some : std::views::reverse(recomputedBlocks(layout.model, layout.memory, stage))) {
        const int first = stage.firstLayer + some.first, last = first + some.blocks;
        if (some.segment) {
            const std::size_t before = costs.inputGrad.size();
            if (partitionsInputs(layout.memory, layout.parallel)) group.joinParts(costs.inputGrad, first);
            const int lowest = recomputesSecondHalves(layout.memory) ? last * branches - 1 : first * branches;
            if (!recomputesOperations(layout.memory)) forward(costs.inputGrad, lowest, last * branches);
            else if (gathersAgain)
                for (int i = lowest; i < last * branches; ++i)
                    input.gather(costs.inputGrad, i / branches, isAttention(i));
            for (std::size_t i = before; i < costs.inputGrad.size(); ++i) costs.inputGrad[i].again = true;
        }
        for (int i = last * branches; i-- > first * branches;) {
            if (meets(i)) group.gather(costs.inputGrad, i / branches);  // the output's gradient
            if (recomputesHeads(layout.memory) && isAttention(i)) {
                const std::size_t before = costs.inputGrad.size();
                input.gather(costs.inputGrad, i / branches, true);
                for (std::size_t each = before; each < costs.inputGrad.size(); ++each)
                    costs.inputGrad[each].again = true;
            }
            if (!keepsExchangedHeads(layout)) input.gatherKey(costs.inputGrad, i / branches, isAttention(i));
            if (attends(i)) travelAgain(i / branches);
            if (attends(i)) travel(costs.inputGrad, i / branches, context.backward);
            if (routes(i) && meets(i)) group.overMembers(costs.inputGrad, i / branches, expertChoices(layout.model));
            rows(costs.inputGrad, i);
            if (meets(i)) {
                input.sum(costs.inputGrad, i / branches, isAttention(i));
                input.gather(costs.weightGrad, i / branches, isAttention(i));
            }
            if (isAttention(i)) group.sumHeadNorms(costs.weightGrad, i / branches);
            input.sumOverTokens(costs.weightGrad, i / branches, isAttention(i));
            group.sumOverTokens(costs.weightGrad, i / branches);
            if (!joins(i)) continue;
            group.sumOverTokens(costs.weightGrad, i / branches, joinWeights(layout.model, i / branches));
            for (int norm = 0; norm < joinNorms; ++norm) group.sumOverTokens(costs.weightGrad, i / branches);
            group.gather(costs.weightGrad, i / branches);
        }
    }
    if (stage.first) group.gather(costs.weightGrad, embeddingLayer);
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
        const double from = time + computing;
        time = from + collective.seconds;
        const double begin = std::max(0.0, from - collective.hidden);
        spans.push_back({collective.kind, collective.layer, collective.bytes, begin / duration, time / duration});
    }
    return spans;
}

}  // namespace shardlab::predict
