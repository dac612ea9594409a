// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/attention_shape.h"
#include "engine/layout/block_parts.h"
#include "engine/layout/check/check_rules.h"
#include "engine/layout/kept_activations.h"
#include "engine/layout/recompute.h"
#include "engine/layout/suggest.h"

#include <algorithm>

namespace shardlab::layout {

namespace {

void checkActivations(const Layout& layout, std::vector<Fault>& faults) {
    const std::string_view activations = wordOf(layout.memory.activations);
    if (!codesPools(layout.memory)) return;
    if (!readsImages(layout.model))
        faults.push_back(
            {"/memory/activations", say("{} activations of the model {}", activations, wordOf(layout.model.kind)),
             say("codes stand for what a ReLU made and a max-pool read, and no layer but a cnn's has these"),
             say("kept; or model.kind cnn")});
    else if (layout.memory.recompute != RecomputeKind::None)
        faults.push_back({"/memory/activations",
                          say("{} activations and recompute {}", activations, wordOf(layout.memory.recompute)),
                          say("one keeps maps in fewer bits, and the other does not keep them"),
                          say("kept; or memory.recompute none")});
    else if (packedBits(layout.memory) == 16 && layout.precision.compute != NumberFormat::Fp32)
        faults.push_back(
            {"/memory/activations", say("{} where activations are {}", activations, wordOf(layout.precision.compute)),
             say("they have 16 bits anyway"), say("kept, lossless, lossy-10 or lossy-8; or precision.compute fp32")});
}

/// The blocks that are named exist, and an activation is not named beside all that have one.
void checkHalves(const Layout& layout, std::vector<Fault>& faults) {
    const MemorySpec& memory = layout.memory;
    bool dense = false, routed = false, outside = false;
    for (int layer = 0; layer < layout.model.layers + predictionModules(layout.model); ++layer) {
        const bool experts = hasExperts(layout.model, layer);
        (experts ? routed : dense) = true;
        outside = outside || !recomputes(memory, experts ? RecomputePart::Experts : RecomputePart::FeedForward);
    }
    const auto absent = [&](RecomputePart part, bool there, const Sentence& what) {
        if (recomputes(memory, part) && !there)
            faults.push_back({"/memory/recompute_parts", what, say("nothing would be computed again"),
                              say("a list without {}", wordOf(part))});
    };
    absent(RecomputePart::FeedForward, dense, say("feed-forward, and every block has experts"));
    absent(RecomputePart::Experts, routed, say("experts, and the model has none"));
    if (recomputes(memory, RecomputePart::Activations) && !outside)
        faults.push_back({"/memory/recompute_parts", say("activations beside every block that has one"),
                          say("they are computed again with the blocks that hold them"),
                          say("a list without activations")});
}

void checkLossPieces(const Layout& layout, std::vector<Fault>& faults) {
    const std::int64_t pieces = lossPieces(layout), tokens = mostLossPieces(layout);
    if (pieces == 1) return;
    if (layout.parallel.zero == 3)
        faults.push_back({"/memory/loss_pieces", say("a loss in {} pieces with ZeRO 3", pieces),
                          say("the gradient of the output projection would make the logits again when the gathered "
                              "weights are gone"),
                          say("1; or parallel.zero 0, 1 or 2")});
    if (pieces > tokens)
        faults.push_back({"/memory/loss_pieces",
                          say("{} pieces of the {} tokens that a rank has of a microbatch", pieces, tokens),
                          say("a piece has at least one token"), say("1 to {}", tokens)});
}

/// The parts that the model's blocks have.
Sentence legalParts(const ModelSpec& model) {
    if (readsImages(model)) return say("memory.recompute none, full, sqrt or every");
    std::vector<std::string> words;
    const auto add = [&](RecomputePart part, bool there) {
        if (there) words.emplace_back(wordOf(part));
    };
    add(RecomputePart::Core, hasAttention(model));
    add(RecomputePart::Heads, latentAttention(model));
    for (const RecomputePart part : {RecomputePart::Norms, RecomputePart::Activations}) add(part, true);
    add(RecomputePart::FeedForward, hasBlocks(model, false));
    add(RecomputePart::Experts, hasBlocks(model, true));
    return say("{}; or memory.recompute none", alternatives(words));
}

}  // namespace

void checkRecompute(const Layout& layout, std::vector<Fault>& faults) {
    const ModelSpec& model = layout.model;
    const MemorySpec& memory = layout.memory;
    const bool named = memory.recompute == RecomputeKind::Parts;
    const std::string pointer = named ? "/memory/recompute_parts" : "/memory/recompute";
    if (named && memory.recomputeParts.empty())
        faults.push_back({"/memory/recompute_parts", say("recompute parts, and no part is named"),
                          say("nothing would be computed again"), legalParts(model)});
    if (recomputesCore(memory) && !hasAttention(model))
        faults.push_back(
            {pointer, say("the {} has no attention whose probabilities could be computed again", wordOf(model.kind)),
             say("selective recomputation computes nothing but attention again"),
             named ? say("a list without {}", wordOf(RecomputePart::Core)) : say("none, full, sqrt or every")});
    if (recomputesSecondHalves(memory) && readsImages(model))
        faults.push_back({pointer, say("the cnn has no feed-forward blocks that could be computed again"),
                          say("its blocks are convolutions and a max-pool"), say("none, full, sqrt or every")});
    if (recomputesHeads(memory) && !latentAttention(model))
        faults.push_back(
            {pointer, say("the {} has no latent attention whose heads could be made again", wordOf(model.kind)),
             say("latent recomputation computes nothing but queries, keys and values of latents again"),
             named                      ? say("a list without {}", wordOf(RecomputePart::Heads))
             : blockParts(model).rotary ? say("another word; or model.kv_rank above 0")
                                        : say("another word; or model.kind llama with model.kv_rank above 0")});
    const bool norms = recomputes(memory, RecomputePart::Norms);
    const bool activations = recomputes(memory, RecomputePart::Activations);
    if ((norms || activations || recomputesOperations(memory)) && readsImages(model))
        faults.push_back(
            {pointer, say("the cnn has no norms in its blocks, and its ReLUs keep what they make"),
             say("{} recomputation computes the norms and activations of transformers again", wordOf(memory.recompute)),
             say("none, full, sqrt or every")});
    if (named && !readsImages(model)) checkHalves(layout, faults);
    checkActivations(layout, faults);
    checkLossPieces(layout, faults);
    if (!partitionsInputs(layout.memory, layout.parallel) || readsImages(layout.model)) return;
    const std::int64_t tokens =
        std::int64_t{layout.batch.micro} * (layout.model.sequence / std::max(1, layout.parallel.context));
    const std::int64_t numbers = tokens * layout.model.hidden;
    if (numbers % layout.parallel.tensor == 0) return;
    faults.push_back(
        {"/memory/partition_activations",
         say("{} numbers of a segment's input do not divide into {} parts", numbers, layout.parallel.tensor),
         say("every member of a tensor group keeps the same number of them"),
         say("false; or a microbatch, a sequence, a hidden width or a tensor degree whose product divides")});
}

}  // namespace shardlab::layout
