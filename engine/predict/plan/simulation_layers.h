// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/recompute.h"
#include "engine/predict/plan/simulation_state.h"

#include <optional>
#include <utility>
#include <vector>

namespace shardlab::predict::simulation {

/// A compute action layer by layer, with what runs beside it.
template <class Simulator>
class Layers {
public:
    Layers(Simulator& simulator, int rank, RankState& state, const Action& action, EventKind kind, Time begin)
        : simulator_(simulator), rank_(rank), state_(state), action_(action), kind_(kind), span_(begin), chunk_(begin),
          costs_(simulator.dataOf(action)), arriving_(simulator.arriving_) {
        arriving_.clear();
        state.free = begin;
        for (const Moment& news : state.data.announced)
            (fetchesWeights(news.action->kind)              ? fetch_
             : gathersWeights(news.action->kind)            ? gather_
             : news.action->kind == ActionKind::ReduceParts ? parts_
                                                            : reduce_) = news;
        state.data.announced.clear();
    }

    /// How long an action computes: segments again, what else reads weights, and their gradients.
    struct Lengths {
        Time again = 0;
        Time use = 0;
        Time gradient = 0;
    };

    /// `drawsAgain`: each segment's second forward is a span.
    void run(const Lengths& lengths, bool drawsAgain) {
        if (const auto& first = gather_ ? gather_ : fetch_) bringWeights({first->time, first->node});
        const bool up = action_.kind == ActionKind::Forward;
        const auto layers = costs_.layerShare.size();
        for (std::size_t i = 0; i < layers; ++i) {
            const std::size_t layer = up ? i : layers - 1 - i;
            if (action_.kind != ActionKind::WeightGrad) {
                if (!up && endsSegment(costs_.segments, static_cast<int>(layer)))
                    again(layer, lengths.again, drawsAgain);
                read(layer, lengths.use * costs_.layerShare[layer]);
            }
            if (!up && action_.kind != ActionKind::InputGrad) makeGradient(layer, lengths.gradient, i == 0);
        }
        noteChunk();
        state_.sink.add(Lane::Compute, kind_, span_, state_.free, action_);
    }

private:
    /// The segment that ends with `last`, from its bottom.
    void again(std::size_t last, Time length, bool draws) {
        const Time begin = state_.free;
        for (auto layer = static_cast<std::size_t>(costs_.segments[last]); layer <= last; ++layer)
            read(layer, length * costs_.againShare[layer]);
        if (draws && length > 0) state_.sink.add(Lane::Compute, EventKind::Recompute, begin, state_.free, action_);
    }

    void read(std::size_t layer, Time length) {
        if (gather_ || fetch_) {
            const bool comes = static_cast<int>(layer) == bringing_;
            if (comes)
                for (const Moment& piece : arriving_) waitFor(piece);
            noteChunk();
            if (comes) bringWeights({state_.free, state_.node});
        }
        state_.free += length;
    }

    void makeGradient(std::size_t layer, Time length, bool first) {
        DataLane& data = state_.data;
        if (costs_.inSlots) {
            if (first) waitFor(data.stays);
            data.turn ^= 1;
            waitFor(data.slots[data.turn]);
            if (parts_ && costs_.layerShare.size() == 1) waitFor(data.slots[data.turn ^ 1]);
        }
        state_.free += length * costs_.layerShare[layer];
        if (!reduce_) return;
        const auto& pieces = costs_.reduce;
        for (; reduced_ < pieces.size() && pieces[reduced_].layer == static_cast<int>(layer); ++reduced_) {
            noteChunk();
            Moment end =
                simulator_.startPiece(rank_, state_, *reduce_->action, pieces, reduced_, {state_.free, state_.node});
            if (parts_) end = simulator_.startPiece(rank_, state_, *parts_->action, costs_.parts, reduced_, end);
            (pieces[reduced_].stays ? data.stays : data.slots[data.turn]) = end;
        }
    }

    /// Starts what brings the weights of the next layer that is used: from the host, and then from replicas.
    void bringWeights(const Moment& ready) {
        arriving_.clear();
        const auto& pieces = costs_.pieces((gather_ ? gather_ : fetch_)->action->kind);
        bringing_ = brought_ < pieces.size() ? pieces[brought_].layer : -1;
        for (; brought_ < pieces.size() && pieces[brought_].layer == bringing_; ++brought_) {
            Moment here = ready;
            for (const std::optional<Moment>* way : {&fetch_, &gather_}) {
                if (!*way) continue;
                const Action& action = *(*way)->action;
                here = simulator_.startPiece(rank_, state_, action, costs_.pieces(action.kind), brought_, here);
                arriving_.push_back(here);
            }
        }
    }

    void waitFor(const Moment& moment) {
        if (moment.time <= state_.free) return;
        noteChunk();
        if (state_.free > span_) state_.sink.add(Lane::Compute, kind_, span_, state_.free, action_);
        simulator_.waitIdle(state_, moment);
        span_ = chunk_ = state_.free;
    }

    /// The graph needs a node wherever something else begins.
    void noteChunk() {
        if (simulator_.keepsGraph() && state_.free > chunk_)
            state_.node = simulator_.note(rank_, action_, chunk_, state_.free,
                                          {state_.node, std::exchange(state_.message, noNode)});
        chunk_ = state_.free;
    }

    Simulator& simulator_;
    int rank_;
    RankState& state_;
    const Action& action_;
    EventKind kind_;
    Time span_;   ///< begin of the compute span under way
    Time chunk_;  ///< begin of what the graph has no node for yet
    const DataCosts& costs_;
    std::vector<Moment>& arriving_;  ///< what brings the weights of the layer `bringing_`, in order
    std::optional<Moment> fetch_, gather_, reduce_, parts_;
    std::size_t brought_ = 0, reduced_ = 0;
    int bringing_ = -1;  ///< layer whose weights were asked for last; -1: all have come
};

}  // namespace shardlab::predict::simulation
