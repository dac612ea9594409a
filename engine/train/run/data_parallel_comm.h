// SPDX-License-Identifier: Apache-2.0
// The collectives over the data axis that run beside compute: buckets of gradients are averaged, gradients scattered,
// parameters gathered. They follow the rules of engine/predict/plan/simulate.h. Where devices exchange data by
// themselves and the run is not paced, the processor asks them for everything ahead of time and waits for nothing.
#pragma once

#include "engine/base/clock.h"
#include "engine/predict/plan/costs.h"
#include "engine/train/comm/ring_collectives.h"
#include "engine/layout/flat_units.h"
#include "engine/train/model/layer_hooks.h"
#include "engine/train/parallel/collectives_beside_compute.h"
#include "engine/train/parallel/shards.h"
#include "engine/train/run/split_spans.h"
#include "engine/train/run/rank_trace.h"
#include "engine/train/run/step_clock.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace shardlab {

struct DataParallelCommSetup {
    ParallelSpec parallel;
    int replica = 0;
    std::unique_ptr<Communicator> group;  ///< the replicas; for this alone
    std::unique_ptr<Communicator>
        holders;                   ///< likewise those of them with the same experts; null where that is all, or none
    bool direct = false;           ///< they take addresses of the device; else of the processor
    std::map<int, Stage*> stages;  ///< of this rank, by global stage
    Arena& arena;
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
};

class DataParallelComm final : public LayerHooks {
public:
    /// Collective over the group.
    explicit DataParallelComm(DataParallelCommSetup setup);

    /// Whether collectives begin, and are awaited, in the device's own order; else it is the processor that begins them
    /// and waits, and what is told of compute beside them has its clock.
    bool followsDevice() const { return followsDevice_; }

    /// Null without ZeRO.
    StageShards* shards(int stage);

    /// Interprets REDUCE_BUCKETS, SCATTER_GRAD, GATHER_F, GATHER_B, which wait for their compute action, or
    /// GATHER_PARAM.
    void announce(const Action& action);
    /// Around a compute action; begin tells whether anything runs beside it. Then the compute lane is this object's
    /// until end: finished layer by layer on the clock, its spans cut by waits. Where not followsDevice(), the device's
    /// work is over at end.
    bool begin(const Action& compute);
    void end();
    /// What is asked for from now on comes after all reductions; what was done is recorded.
    void settleReductions() { settle(lastReduction_); }
    /// Likewise after all there is, which is over when this returns.
    void settleAll();
    /// The processor waits until all that was started is over: to be called before it waits for the device, which does
    /// not notice that a replica is lost.
    void drain();
    /// Records what has been done. A lost replica is an exception.
    void collect();
    /// Changes the clock, on every rank alike, while nothing is under way.
    void setClock(StepClock& clock) { clock_ = &clock; }
    void beginStep() {
        communicated_ = dataFree_ = 0;
        spans_.beginStep();
    }
    /// The reduction that was started last.
    struct Reduction {
        CollectivesBesideCompute::Ticket ticket = 0;
        std::int64_t end = 0;  ///< modelled; 0 where nothing is
    };
    std::optional<Reduction> lastReduction() const {
        if (!lastReduction_) return std::nullopt;
        return Reduction{lastReduction_->ticket, lastReduction_->modelled ? lastReduction_->modelled->end : 0};
    }
    /// What is asked for from now on comes after it.
    bool isOver(const Reduction& reduction) const { return beside_->awaited(reduction.ticket); }
    /// Of what has been recorded in the step.
    double communicatedSeconds() const { return toSeconds(communicated_); }
    double exposedSeconds() const { return toSeconds(spans_.waited()); }

    void beforeUse(int layer) override;
    void afterUse(int layer) override;
    void beforeRecompute(int layer) override;
    void afterAgain(int layer) override;
    void beforeGradient(int layer) override;
    void afterGradient(int layer) override;

private:
    struct Piece {
        Action action;
        int index = 0;
        CollectivesBesideCompute::Ticket ticket = 0;
        std::int64_t bytes = 0;
        std::optional<TimeSpan> modelled;
        std::shared_ptr<std::vector<RingHop>> hops;
        bool experts = false;  ///< between setup_.holders
    };
    using PiecePtr = std::shared_ptr<Piece>;

    const DataCosts& costsOf(const Action& action) const;
    /// `collective` works on `whole`, or where the group does not reach that on a copy in the processor's memory.
    PiecePtr start(const Action& action, int index, ArraySpan whole,
                   std::function<RequestPtr(Communicator&, ArraySpan)> collective, std::function<void()> finish = {},
                   std::shared_ptr<std::vector<RingHop>> hops = nullptr, bool experts = false);
    void post(Piece& piece, ArraySpan whole, std::function<RequestPtr(Communicator&, ArraySpan)> collective,
              std::function<void()> finish);
    PiecePtr startBucket(const Action& action, int index, const FlatUnit& unit);
    PiecePtr startScatter(const Action& action, int index, const FlatUnit& unit);
    const std::vector<UnitGather>& gathersOf(const Action& action) const;
    void startGathers();
    void arrive(int layer);
    void await(const PiecePtr& piece);
    /// The compute lane waits for `what`.
    void tellWait(const Action& what, const std::function<void()>& wait);
    void settle(const PiecePtr& piece);
    void record(const Piece& piece, const CollectivesBesideCompute::Times& real);
    /// When what was asked for is done.
    Moment mark() const { return followsDevice_ ? setup_.trace.mark() : Moment(setup_.trace.now()); }
    ArraySpan gradientSlot(const FlatUnit& unit, std::size_t& taken) const;

    DataParallelCommSetup setup_;
    const bool followsDevice_;
    StepClock* clock_;
    SplitSpans spans_;
    std::map<int, std::unique_ptr<StageShards>> shards_;
    std::map<int, std::vector<FlatUnit>> reduced_;  ///< in the order in which gradients become final
    std::map<int, std::vector<UnitGather>> forward_, backward_;
    GatherRoom room_;
    LayerSlots gradientSlots_;
    std::vector<Action> announced_;

    // The compute action under way.
    Action compute_;
    bool active_ = false;
    std::optional<Action> gather_, reduce_;
    std::int64_t announcedAt_ = 0;
    std::size_t gathers_ = 0, reductions_ = 0;
    int gathering_ = -1;                             ///< layer whose gathers were started last
    std::map<int, std::vector<PiecePtr>> arriving_;  ///< by layer
    LayeredShares seconds_;                          ///< of the whole action

    std::size_t gradientTurn_ = 0;
    PiecePtr slotScatter_[2], stayScatter_;
    PiecePtr last_, lastReduction_;
    std::deque<PiecePtr> pieces_;  ///< started, not yet recorded
    std::int64_t dataFree_ = 0;    ///< modelled
    std::int64_t communicated_ = 0;
    std::unique_ptr<CollectivesBesideCompute> beside_;  ///< last: its thread works in the memory of the above
};

}  // namespace shardlab
