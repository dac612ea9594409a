// SPDX-License-Identifier: Apache-2.0
// x + dropout(Σ over a token's experts of weight · expert(norm(x))): a block's second half with experts in place of its
// feed-forward block (1701.06538, 2006.16668, 2101.03961). A gate chooses the experts. Each expert has a fixed number
// of places for each sample; a token that finds none is dropped: nothing is added to its x.
#pragma once

#include "engine/train/model/dropout_site.h"
#include "engine/train/model/gate.h"
#include "engine/train/model/layer.h"
#include "engine/train/model/layer_context.h"
#include "engine/train/model/linear.h"
#include "engine/train/model/norm.h"

#include <vector>

namespace shardlab::train {

struct ExpertsSpec {
    GateSpec gate;
    int width = 1;       ///< inside an expert
    double dropout = 0;  ///< inside an expert
    Initial expansion, projection;
};

/// The tensor group must have one member (the layout's check sees to that). Where an expert group of e shares the n
/// experts, member m holds those from m·n/e on; rows of its tokens go to the members that hold their experts, and come
/// back (expert_group.h, 2006.16668). R rows go either way. An expert's rows from each member are multiplied by
/// themselves, as one rank with all experts would multiply the rows of that member's samples.
///
/// Memory in numbers of T, with N tokens, h hidden, f width, R rows of all experts. What gate.h lists comes on top.
///   forward keeps (Activations)  input Nh, statistics 2N fp32, normed Nh; for each of R rows gathered h, expanded f,
///                                activated f, produced h; the output belongs to the next layer
///   inputGrad                    the weights' gradient Nk fp32 (Temporary) from start to end; the masked gradient Nh
///                                (Temporary) where something is dropped, then one expert's scratch, then the gradient
///                                of gathered Rh (Temporary), each freed before the next; expanded and produced are
///                                overwritten with their gradients; normedGradient Nh and the returned gradient Nh
///                                (`kept`). The output's gradient is freed at the end
///   until weightGrad             normedGradient, and all that forward keeps
///   throughout (Buffers)         the tally, 2n of 32 bits
///   with an expert group         Rh more (Temporary): in forward for the rows sent while gathered is received, then
///   for
///                                the experts' outputs until produced is received; in inputGrad for produced's gradient
///                                on its way, then for gathered's gradient on its way back, each freed on arrival
class ExpertsLayer : public Layer {
public:
    /// Weights: "<block>.ln_2", the gate's, and for each expert e of this rank "<block>.moe.experts.<e>.c_fc" and
    /// "….c_proj".
    ExpertsLayer(const LayerContext& context, const std::string& block, const ExpertsSpec& spec);

    std::unique_ptr<LayerState> newState() const override;
    Buffer forward(LayerState& state, Buffer input) override;
    Buffer inputGrad(LayerState& state, Buffer outputGradient, MemoryCategory kept) override;
    void weightGrad(LayerState& state) override;
    ExpertTally* tally() override { return &tally_; }

private:
    struct Expert {
        Linear expansion, projection;
        DropoutSite dropout;
    };
    struct State;
    /// As many blocks of rows as experts: member by member, the rows for each expert of this rank.
    std::size_t blocks() const { return static_cast<std::size_t>(gate_.spec().shape.experts); }
    const Expert& expertOf(std::size_t block) const { return experts_[block % experts_.size()]; }
    /// The rows of one block within a matrix of all rows that is so wide.
    Array rowsOf(std::size_t block, const Buffer& all, int columns) const {
        return all.data() + static_cast<std::ptrdiff_t>(block) * gate_.spec().shape.expertRows() * columns;
    }
    Buffer allRows(MemoryCategory category, int columns) const;
    DropoutMask mask(const LayerState& state) const;
    void drop(const LayerState& state, std::size_t block, const Buffer& all) const;

    LayerContext context_;
    int width_;
    Norm norm_;
    Gate gate_;
    std::vector<Expert> experts_;
    DropoutSite dropout_;
    ExpertTally tally_;
};

}  // namespace shardlab::train
