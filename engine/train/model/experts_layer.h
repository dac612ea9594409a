// SPDX-License-Identifier: Apache-2.0
// x + dropout(Σ over a token's experts of weight · expert(norm(x)) + shared(norm(x))): a block's second half with
// experts in place of its feed-forward block (1701.06538, 2006.16668, 2101.03961), and perhaps a block beside them that
// every token goes to (2401.06066). A gate chooses the experts. Each expert has a fixed number of places for each
// sample; a token that finds none is dropped: no expert adds anything to its x. Or there is no limit (dropless,
// 2211.15841).
#pragma once

#include "engine/train/model/branch_norm.h"
#include "engine/train/model/dropout_site.h"
#include "engine/train/model/expansion.h"
#include "engine/train/model/gate.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/row_blocks.h"

#include <optional>
#include <vector>

namespace shardlab::train {

struct ExpertsSpec {
    GateSpec gate;
    int width = 1;       ///< inside an expert
    double dropout = 0;  ///< inside an expert
    Initial expansion, projection;
    int shared = 0;  ///< width inside the block of all shared experts; 0 = there are none
};

/// Where an expert group of e shares the n experts, member m holds those from m·n/e on; rows of its tokens go to the
/// members that hold their experts, and come back (expert_group.h, 2006.16668). An expert's rows from each member are
/// multiplied by themselves, as one rank with all experts would multiply the rows of that member's samples.
///
/// A tensor group shares the columns between expansion and projection of every expert and of the shared block, as in a
/// feed-forward block. The gate is whole: each member routes all tokens, with the same bits. The members' outputs are
/// summands, of which one has the biases of projections; so are the gradients of the routes' weights and of what the
/// norm made. To the latter each member adds the gate's part, for its own tokens, after the sum.
/// Where the group has folds (engine/layout/mesh/folding.h), each fold has other experts of the n, the next ones, and
/// the columns of each are shared within it. A member has the rows of its fold's experts alone, and its output is a
/// summand all the same.
///
/// Where a context group shares the places of experts, a member has the rows of its own tokens alone, packed as where
/// dropless, and what is dropped within experts follows the numbers that they would have on one rank. Dropless a mask
/// follows the token, of which an expert has one row at most.
///
/// Memory in numbers of T, with N tokens, n own tokens, h hidden, f this member's share of the width and w = f, or 2f
/// with a gate of columns; R rows of the fold's experts, where they are packed the most that there may be, or with an
/// expert group or folds those that there are, S this member's share of the width of the shared block and v = S or 2S.
/// What gate.h lists comes on top. Where tokens are split, so
/// does the gathered norm Nh (Temporary) in forward until its rows are gathered, and in weightGrad beside what the gate
/// needs; and either sum over members Nh (Temporary) before its n·h.
///   forward keeps (Activations)  input n·h, the norm's statistics, normed n·h; for each token Nv and NS of the shared
///                                block; for each of R rows gathered h, expanded w, activated f, produced h; the output
///                                n·h belongs to the next layer
///   forward                      the shared block's output Nh (Temporary) while it is added
///   inputGrad                    the weights' gradient Nk fp32 (Temporary) from start to end; the branch's gradient
///                                Nh, with a shared block until weightGrad (`kept`), else where something is dropped
///                                or tokens are split (Temporary), and where both happen the masked gradient n·h
///                                (Temporary) before it; then one expert's scratch, or all experts' where packed,
///                                then the gradient of gathered Rh (Temporary), the shared block's scratch NS and its
///                                part Nh of normedGradient (Temporary), each freed before the next; expanded and
///                                produced are overwritten with their gradients; normedGradient n·h and the returned
///                                gradient n·h (`kept`). The output's gradient is freed at the end
///   until weightGrad             normedGradient, and all that forward keeps
///   throughout (Buffers)         the tally, 2n of 32 bits, or 2n + 3 where experts choose, and the bias of the choice,
///                                n fp32, where there is one
///   recompute pointwise          normed, activated and the shared block's are freed as forward ends, and made again as
///                                inputGrad begins
///   with an expert group         Rh more (Temporary): in forward for the rows sent, until gathered is received, then
///                                for the experts' outputs until produced is received; in inputGrad for produced's
///                                gradient on its way, then for gathered's gradient on its way back, each freed on
///                                arrival; where numbers matter, R of 32 bits that forward keeps (Activations)
class ExpertsLayer : public Layer {
public:
    /// Weights: "<block>.ln_2", the gate's, those of the shared block "<block>.moe.shared", and for each expert e of
    /// this rank "<block>.moe.experts.<e>"; each has those of an Expansion, and "….c_proj".
    ExpertsLayer(const LayerContext& context, const std::string& block, const ExpertsSpec& spec);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;
    void dropPointwise(LayerState& state, Pointwise parts) const override;
    void makePointwise(LayerState& state, Pointwise parts) const override;
    ExpertTally* tally() override { return &tally_; }
    ArraySpan choiceBias() override { return gate_.bias().span(); }

private:
    struct Block {
        Expansion expansion;
        Linear projection;
    };
    struct Expert {
        Block block;
        DropoutSite dropout;
    };
    struct State;
    /// Rows of a fold's experts among those of all.
    struct FoldRows {
        int first = 0;
        int count = 0;
    };
    Block makeBlock(const std::string& name, int width, const ExpertsSpec& spec) const;
    const Expert& expertOf(std::size_t block) const { return experts_[block % experts_.size()]; }
    void takeRows(State& held) const;
    void takeNumbers(State& held) const;
    /// Calls visit(block, rows, expert) for each block that has rows.
    template <class Visit>
    void eachBlock(const State& held, const Visit& visit) const;
    void exchange(ExpertExchange way, const State& held, const Buffer& from, const Buffer& to) const;
    void gatherRows(State& held);
    void applyExperts(State& held) const;
    void producedGrad(State& held, const Buffer& outputGradient, MemoryCategory kept,
                      const Buffer& weightGradient) const;
    void expertsGrad(State& held) const;
    void normedGrad(State& held, MemoryCategory kept) const;
    /// How many rows there are, the routes decide, and no bound is near.
    bool rowsVary() const { return gate_.spec().shape.packed() && (context_.experts || context_.folds > 1); }
    /// The rows of an expert that drops something have to be known by their numbers.
    bool dropsByNumber() const { return gate_.spec().keepsNumbers() && dropsWithin_; }
    /// Room for so many of the fold's rows, or for as many as there may be.
    int room(int rows) const { return rowsVary() || !gate_.spec().shape.packed() ? rows : gate_.spec().shape.rows(); }
    Buffer allRows(MemoryCategory category, int rows, int columns) const;
    Buffer ofTokens(int columns) const;
    void drop(const State& held, std::size_t block, Array rows) const;
    void project(const Linear& projection, int member, int rows, ConstArray activated, Array made) const;
    /// The number of this member's fold, and its number in it.
    int fold() const { return context_.tensor.member() / inFold(); }
    int inFold() const { return context_.tensor.size() / context_.folds; }
    int memberOfFold() const { return context_.tensor.member() % inFold(); }
    int expertsOfFold() const { return gate_.spec().shape.experts / context_.folds; }
    void expandShared(State& held, ConstArray normed) const;
    void addShared(const State& held, Array sum) const;
    void addSharedGradient(State& held, Array sum) const;
    Buffer branchGradient(const State& held, const Buffer& outputGradient, MemoryCategory category) const;

    LayerContext context_;
    int width_;  ///< inside an expert, that of all members together
    bool dropsWithin_;
    BranchNorm norm_;
    Gate gate_;
    std::optional<Block> shared_;
    std::vector<Expert> experts_;
    DropoutSite dropout_;
    ExpertTally tally_;
};

}  // namespace shardlab::train
