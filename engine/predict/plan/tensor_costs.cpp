// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/tensor_costs.h"

#include "engine/base/ranges.h"
#include "engine/layout/factored_numbers.h"
#include "engine/layout/formats.h"
#include "engine/layout/model_shape.h"
#include "engine/layout/recompute.h"
#include "engine/layout/mesh/copies.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/layout/stacks.h"
#include "engine/predict/plan/expert_bytes.h"

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
          headNorms_(fp32Bytes * queryKeyNormParameters(layout.model)),
          keys_(column_ * members_ * sentKeyColumns(layout.model, tensorShare(layout))) {}

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
    /// The keys and values of all members, where these share heads of them; or their gradients.
    void gatherKeys(std::vector<TensorCost>& list, int layer) const {
        if (keys_ > 0) list.push_back(half(EventKind::TensorAllGather, layer, keys_));
    }
    void sumKeys(std::vector<TensorCost>& list, int layer) const {
        if (keys_ > 0) list.push_back(half(EventKind::TensorReduceScatter, layer, keys_));
    }
    /// `numbers` a token, fp32Bytes, of one of so many pieces of the tokens.
    void overMembers(std::vector<TensorCost>& list, int layer, int numbers, int pieces = 1, int piece = 0) const {
        if (members_ > 1)
            list.push_back(whole(layer, numbers * fp32Bytes * rangeSize(token_ / fp32Bytes, pieces, piece)));
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
    std::int64_t token_, column_, activation_, norm_, headNorms_, keys_;
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

/// Writes the collectives of one stage. Its branches are numbered over the model: attention and feed-forward of each
/// block, each with a norm; where there is no attention, the feed-forwards.
class StageCollectives {
public:
    StageCollectives(const Layout& layout, const StageShape& stage, const Link& link, const ContextTraffic& context,
                     const Link& expertLink)
        : layout_(layout), model_(layout.model), stage_(stage), context_(context), expertLink_(expertLink),
          group_(layout, link), input_(group_, layout.model), branches_(hasAttention(layout.model) ? 2 : 1),
          members_(exchangeMembers(layout)),
          local_(travelsOverFolds(layout) && layout.parallel.sequence && layout.model.experts.shared == 0),
          rows_(expertRows(layout.model, layout.batch.micro, tensorShare(layout))),
          rowBytes_(numberFormats(layout.precision).activationBytes() * rows_ * layout.model.hidden) {}

    TensorCosts find(bool tied) {
        reserve();
        costs_.update = updateCosts(layout_, stage_, tied, group_);
        if (stage_.first) group_.sum(costs_.forward, embeddingLayer);
        forward(costs_.forward, firstBranch(0), firstBranch(stage_.layers));
        if (stage_.last) output();
        for (const RecomputedBlocks& some : std::views::reverse(recomputedBlocks(model_, layout_.memory, stage_))) {
            if (some.segment) segmentAgain(some);
            for (int i = firstBranch(some.first + some.blocks); i-- > firstBranch(some.first);) backward(i);
        }
        if (stage_.first) group_.gather(costs_.weightGrad, embeddingLayer);
        return std::move(costs_);
    }

private:
    void reserve() {
        constexpr std::size_t atEnds = 4;
        const auto inBlocks = static_cast<std::size_t>((latentAttention(model_) ? 4 : 2) * branches_ * stage_.layers);
        costs_.forward.reserve(inBlocks + atEnds);
        costs_.inputGrad.reserve(2 * inBlocks + atEnds);
        costs_.weightGrad.reserve(inBlocks + atEnds);
    }

    int layerOf(int branch) const { return branch / branches_; }
    /// The first branch of a block of the stage.
    int firstBranch(int block) const { return (stage_.firstLayer + block) * branches_; }
    /// The first branch of a block is its attention, in which a context group meets.
    bool isAttention(int branch) const { return branches_ == 2 && branch % 2 == 0; }
    bool attends(int branch) const { return context_.members > 1 && isAttention(branch); }
    /// The last branch of a block with experts sends its tokens to the experts and back.
    bool routes(int branch) const { return branch % branches_ == branches_ - 1 && hasExperts(model_, layerOf(branch)); }
    /// Nothing of all tokens is needed where only rows of own tokens leave.
    bool meets(int branch) const { return !local_ || !routes(branch); }
    /// The first branch of a module's block joins two inputs, of which one is an embedding.
    bool joins(int branch) const { return isAttention(branch) && ofModule(model_, layerOf(branch)); }

    void travel(std::vector<TensorCost>& list, int layer, const std::vector<ContextStep>& steps) const {
        for (const ContextStep& step : steps)
            list.push_back({context_.kind, layer, step.bytes, std::max(0.0, step.seconds - step.cover), false,
                            step.cover, std::min(step.seconds, step.cover)});
    }

    void choices(std::vector<TensorCost>& list, int branch) const {
        if (const auto& step = context_.choices; step && routes(branch))
            list.push_back({EventKind::GatherChoices, layerOf(branch), step->bytes, step->seconds});
    }
    /// `numbers`: of 32 bits, which follow the rows to their experts.
    void rows(std::vector<TensorCost>& list, int branch, std::int64_t numbers = 0) const {
        if (members_ == 1 || !routes(branch)) return;
        const auto add = [&](EventKind kind, std::int64_t bytes) {
            list.push_back(
                {kind, layerOf(branch), bytes, allToAllSeconds(static_cast<double>(bytes), members_, expertLink_)});
        };
        add(EventKind::DispatchTokens, rowBytes_);
        if (numbers > 0) add(EventKind::DispatchTokens, numbers * std::int64_t{sizeof(std::int32_t)});
        add(EventKind::CombineTokens, rowBytes_);
    }

    void forward(std::vector<TensorCost>& list, int first, int end) const {
        for (int i = first; i < end; ++i) {
            if (joins(i)) group_.sum(list, layerOf(i));  // the embedding
            if (meets(i)) input_.gather(list, layerOf(i), isAttention(i));
            input_.gatherKey(list, layerOf(i), isAttention(i));
            if (isAttention(i)) group_.gatherKeys(list, layerOf(i));
            if (attends(i)) travel(list, layerOf(i), context_.forward);
            choices(list, i);
            rows(list, i, dropsByNumber(layout_) ? rows_ : 0);
            if (meets(i)) group_.sum(list, layerOf(i));  // the projection
        }
    }

    /// The output projection and the loss, of each head.
    void output() {
        for (int head = 0; head <= predictionModules(model_); ++head) {
            const int pieces = lossPieces(layout_);
            group_.gather(costs_.forward, outputLayer);
            for (int piece = 0; piece < pieces; ++piece)
                group_.overMembers(costs_.forward, outputLayer, 1, pieces, piece);  // the largest logit
            group_.overMembers(costs_.forward, outputLayer, 2);                     // the sum, and the target's logit
            if (pieces > 1) group_.gather(costs_.inputGrad, outputLayer);
            group_.sum(costs_.inputGrad, outputLayer);
            group_.gather(costs_.weightGrad, outputLayer);
        }
        group_.sumOverTokens(costs_.weightGrad, outputLayer);
    }

    /// Whatever `add` writes into the input gradient's list happened once before.
    template <class Add>
    void again(const Add& add) {
        const std::size_t before = costs_.inputGrad.size();
        add(costs_.inputGrad);
        for (std::size_t i = before; i < costs_.inputGrad.size(); ++i) costs_.inputGrad[i].again = true;
    }

    void segmentAgain(const RecomputedBlocks& some) {
        const int first = firstBranch(some.first), end = firstBranch(some.first + some.blocks);
        again([&](std::vector<TensorCost>& list) {
            if (partitionsInputs(layout_.memory, layout_.parallel)) group_.joinParts(list, layerOf(first));
            const int lowest = recomputesSecondHalves(layout_.memory) ? end - 1 : first;
            if (!recomputesOperations(layout_.memory)) return forward(list, lowest, end);
            // A program that has a product for each matrix does one again in each half, which reads all tokens.
            const SoftwareStack* const stack = modelledStack(layout_);
            if (stack == nullptr || !stack->splitsProducts) return;
            for (int i = lowest; i < end; ++i) input_.gather(list, layerOf(i), isAttention(i));
        });
    }

    void backward(int branch) {
        const int layer = layerOf(branch);
        const bool attention = isAttention(branch);
        if (meets(branch)) group_.gather(costs_.inputGrad, layer);  // the output's gradient
        if (recomputesHeads(layout_.memory) && attention)
            again([&](std::vector<TensorCost>& list) { input_.gather(list, layer, true); });
        if (!keepsExchangedHeads(layout_)) input_.gatherKey(costs_.inputGrad, layer, attention);
        // Where the core is computed again, what it reads comes once more.
        if (attends(branch) && recomputesCore(layout_.memory))
            again([&](std::vector<TensorCost>& list) { travel(list, layer, context_.forward); });
        if (attends(branch) && exchangesHeadsAgain(layout_))
            again([&](std::vector<TensorCost>& list) { travel(list, layer, {context_.forward.front()}); });
        if (attends(branch)) travel(costs_.inputGrad, layer, context_.backward);
        if (attention) group_.sumKeys(costs_.inputGrad, layer);
        if (routes(branch) && meets(branch)) group_.overMembers(costs_.inputGrad, layer, expertChoices(model_));
        rows(costs_.inputGrad, branch);
        if (meets(branch)) {
            input_.sum(costs_.inputGrad, layer, attention);
            input_.gather(costs_.weightGrad, layer, attention);
        }
        weightGradients(branch);
    }

    void weightGradients(int branch) {
        const int layer = layerOf(branch);
        if (isAttention(branch)) group_.sumHeadNorms(costs_.weightGrad, layer);
        input_.sumOverTokens(costs_.weightGrad, layer, isAttention(branch));
        group_.sumOverTokens(costs_.weightGrad, layer);
        if (!joins(branch)) return;
        group_.sumOverTokens(costs_.weightGrad, layer, joinWeights(model_, layer));
        for (int norm = 0; norm < joinNorms; ++norm) group_.sumOverTokens(costs_.weightGrad, layer);
        group_.gather(costs_.weightGrad, layer);
    }

    const Layout& layout_;
    const ModelSpec& model_;
    const StageShape& stage_;
    const ContextTraffic& context_;
    const Link& expertLink_;
    const Collectives group_;
    const BranchInput input_;
    int branches_, members_;
    bool local_;
    std::int64_t rows_, rowBytes_;
    TensorCosts costs_;
};

}  // namespace

TensorCosts tensorCosts(const Layout& layout, const StageShape& stage, bool tied, const Link& link,
                        const ContextTraffic& context, const Link& expertLink) {
    return StageCollectives(layout, stage, link, context, expertLink).find(tied);
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
