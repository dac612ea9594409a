// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/latent_bytes.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/fp8.h"
#include "engine/layout/recompute.h"
#include "engine/layout/stacks.h"

namespace shardlab::predict {
namespace {

using Category = MemoryCategory;

/// TensorGroup::gather: `own` bytes of each member beside the copy of a weight.
void gathered(Tally& tally, const LatentBytes& bytes, std::int64_t own, std::int64_t weight) {
    passing(tally, (bytes.members > 1 ? bytes.members * own : 0) + weight);
}

/// TensorGroup::sum: where tokens are split, of all of them first.
void sum(Tally& tally, const LatentBytes& bytes, Category category, std::int64_t own, std::int64_t weight) {
    if (bytes.members == 1) {
        tally.add(category, own);
        return passing(tally, weight);
    }
    tally.add(Category::Temporary, bytes.members * own);
    passing(tally, weight);
    tally.add(category, own);
    tally.add(Category::Temporary, -bytes.members * own);
}

/// What the queries' product reads.
std::int64_t queryInput(const LatentBytes& bytes) { return bytes.queryLatent > 0 ? bytes.queryLatent : bytes.own; }

void makeLatents(Tally& tally, const LatentBytes& bytes) {
    tally.add(Category::Temporary, bytes.down);
    passing(tally, bytes.downCopy);
    for (const std::int64_t latent : {bytes.queryLatent, bytes.keyLatent})
        if (latent > 0) tally.add(Category::Activations, 2 * latent + bytes.statistics);
    tally.add(Category::Activations, bytes.sharedKey);
    tally.add(Category::Temporary, -bytes.down);
}

/// LatentAttentionLayer::makeHeads().
void makeHeads(Tally& tally, const LatentBytes& bytes) {
    tally.add(Category::Activations, bytes.queries);
    gathered(tally, bytes, queryInput(bytes), bytes.queryCopy);
    tally.add(Category::Activations, bytes.expanded);
    gathered(tally, bytes, bytes.keyLatent, bytes.expansionCopy);
}

/// LatentAttentionLayer::attend().
void attend(Tally& tally, const LatentBytes& bytes) {
    tally.add(Category::Temporary, bytes.wide);
    tally.add(Category::Activations, bytes.attention.kept);
    passing(tally, bytes.attention.forwardScratch);
    tally.add(Category::Temporary, -bytes.wide);
}

void apart(Tally& tally, const LatentBytes& bytes) {
    tally.add(Category::Temporary, bytes.apart);
    gathered(tally, bytes, bytes.sharedKey, 0);
}

}  // namespace

std::int64_t LatentBytes::held() const {
    const std::int64_t queryPart = queryLatent > 0 ? 2 * queryLatent + statistics : 0;
    return normed + queryPart + 2 * keyLatent + statistics + sharedKey + queries + expanded + attended + mask +
           attention.kept;
}

LatentBytes latentBytes(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const BlockSpec& block = model.block;
    const NumberFormats formats = numberFormats(layout.precision);
    const std::int64_t bytes = formats.activationBytes(), fp32 = bytesOf(NumberFormat::Fp32), h = model.hidden;
    const std::int64_t tokens = std::int64_t{layout.batch.micro} * model.sequence / share.context;
    const std::int64_t own = tokens / (share.sequence ? share.size : 1);
    const std::int64_t queries = queryColumns(model, share), out = outputColumns(model, share),
                       expanded = expandedColumns(model, share);
    LatentBytes made{};
    made.own = bytes * own * h;
    made.normed = made.own + fp32 * normNumbers(model) * own;
    made.down = bytes * own * downColumns(model);
    made.queryLatent = bytes * own * block.queryRank;
    made.keyLatent = bytes * own * block.kvRank;
    made.statistics = fp32 * own;
    made.sharedKey = bytes * own * block.ropeWidth;
    made.queries = bytes * tokens * queries;
    made.expanded = bytes * tokens * expanded;
    made.attended = bytes * tokens * out;
    made.attention = attentionBytes(layout, share);
    made.sinks = blockParts(model).sinks ? fp32 * ownHeads(model, share) : 0;
    made.apart = 3 * made.queries;
    made.operands = exchangesHeadsAgain(layout) ? made.apart : 0;
    made.wide = queries > out ? made.queries : 0;
    made.members = share.sequence ? share.size : 1;
    made.dropped = keepsExchangedHeads(layout) && !modelledStack(layout) ? made.queries + made.expanded : 0;
    if (modelledStack(layout)) {
        made.expanded = bytes * tokens * (queries + out);
        made.apart = made.wide = 0;
        made.mask = model.dropout > 0 ? own * h : 0;
    }
    if (formats.castsWeights() && !roundsProducts(layout)) {
        made.downCopy = bytes * h * downColumns(model);
        made.queryCopy = bytes * (block.queryRank > 0 ? block.queryRank : h) * queries;
        made.expansionCopy = bytes * block.kvRank * expanded;
    }
    if (share.sequence) {
        made.queryNormSums = fp32 * block.queryRank;
        made.keyNormSums = fp32 * block.kvRank;
        made.downSums = fp32 * h * downColumns(model);
    }
    return made;
}

void latentForward(Tally& tally, const LatentBytes& bytes, const LatentAgain& again) {
    tally.add(Category::Activations, bytes.normed);
    makeLatents(tally, bytes);
    makeHeads(tally, bytes);
    tally.add(Category::Activations, bytes.attended + bytes.mask);
    apart(tally, bytes);
    attend(tally, bytes);
    tally.add(Category::Temporary, -bytes.apart);
    if (again.core) tally.add(Category::Activations, -bytes.attention.kept);
    if (again.heads) tally.add(Category::Activations, -(bytes.queries + bytes.expanded));
    tally.add(Category::Activations, -bytes.dropped - bytes.operands);
}

void latentInputGrad(Tally& tally, const LatentBytes& bytes, MemoryCategory kept, const LatentAgain& again,
                     std::int64_t projection) {
    const AttentionBytes& core = bytes.attention;
    tally.add(kept, bytes.sinks);
    if (again.heads) makeHeads(tally, bytes);
    tally.add(Category::Activations, bytes.dropped);
    if (bytes.dropped > 0) tally.add(Category::Temporary, bytes.apart);
    else apart(tally, bytes);
    if (again.core) attend(tally, bytes);
    tally.add(Category::Activations, bytes.operands);
    passing(tally, 2 * bytes.operands);  // what is sent and what is received
    tally.add(Category::Temporary, bytes.attended);
    passing(tally, projection);
    if (bytes.wide > 0) {
        tally.add(Category::Temporary, bytes.wide);
        tally.add(Category::Temporary, bytes.wide - bytes.attended);
    }
    tally.add(Category::Temporary, core.backwardScratch);
    tally.add(Category::Activations, core.gradientApart);
    tally.add(Category::Activations, -core.kept);
    tally.add(Category::Temporary, -core.backwardScratch);
    tally.add(Category::Temporary, -(bytes.wide > 0 ? 2 * bytes.wide : bytes.attended));
    if (core.gradientApart > 0) tally.add(Category::Temporary, -bytes.apart);
    sum(tally, bytes, Category::Temporary, bytes.sharedKey, 0);
    if (core.gradientApart > 0) tally.add(Category::Activations, -core.gradientApart);
    else tally.add(Category::Temporary, -bytes.apart);
    if (bytes.queryLatent > 0) sum(tally, bytes, kept, bytes.queryLatent, bytes.queryCopy);
    sum(tally, bytes, kept, bytes.keyLatent, bytes.expansionCopy);
    tally.add(kept, bytes.down);
    passing(tally, bytes.queryLatent);
    passing(tally, bytes.keyLatent);
    tally.add(Category::Temporary, -bytes.sharedKey);
    if (bytes.queryLatent > 0) tally.add(kept, bytes.own);
    else sum(tally, bytes, kept, bytes.own, bytes.queryCopy);
    passing(tally, bytes.downCopy);
}

void latentWeightGrad(Tally& tally, const LatentBytes& bytes) {
    gathered(tally, bytes, queryInput(bytes), 0);
    gathered(tally, bytes, bytes.keyLatent, 0);
    for (const std::int64_t sums : {bytes.queryNormSums, bytes.keyNormSums, bytes.downSums}) passing(tally, sums);
}

}  // namespace shardlab::predict
