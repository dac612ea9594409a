// SPDX-License-Identifier: Apache-2.0
// The collectives over the data axis that run beside compute: buckets of gradients are averaged, gradients scattered,
// parameters gathered, after they have come from the host where they lie there. They follow the rules of
// engine/predict/plan/simulate.h. Where devices exchange data by themselves and the run is not paced, the processor
// asks them for everything ahead of time and waits for nothing.
#pragma once

#include "engine/base/clock.h"
#include "engine/predict/plan/costs.h"
#include "engine/train/comm/ring_collectives.h"
#include "engine/layout/flat_units.h"
#include "engine/train/model/layer_hooks.h"
#include "engine/train/parallel/coded_exchange.h"
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

namespace shardlab::train {

struct DataParallelCommSetup {
    ParallelSpec parallel;
    ExchangeFormat format = ExchangeFormat::Full;
    int replica = 0;
    std::unique_ptr<Communicator>
        group;  ///< the replicas that share a copy of what ZeRO divides; for this object alone
    /// The replicas with the same experts, for this object alone; null where all have the same, or there are no
    /// experts.
    std::unique_ptr<Communicator> sameExperts;
    /// The replicas with the same part of each copy, for this object alone; null where there is one copy.
    std::unique_ptr<Communicator> samePart;
    bool direct = false;           ///< devices exchange by themselves
    bool onDevice = false;         ///< the groups take addresses of the device; else of the processor
    std::map<int, Stage*> stages;  ///< this rank's, by global stage
    Arena& arena;
    Arena* host = nullptr;  ///< where the shards of weights lie, the memory of the device's host; null: in `arena`
    RankTrace& trace;
    const StepCosts& costs;
    StepClock& clock;
};

class DataParallelComm final : public LayerHooks {
public:
    /// The constructor is collective over the group.
    explicit DataParallelComm(DataParallelCommSetup setup);

    /// Whether the device begins and awaits collectives in its own order. Else the processor does, and the spans of
    /// compute beside them are measured by the processor's clock.
    bool followsDevice() const { return followsDevice_; }

    /// The shards of a stage; null without ZeRO.
    StageShards* shards(int stage);
    /// What coded exchanges of a stage keep; null where gradients travel in full.
    CodedStage* coded(int stage);

    /// Interprets REDUCE_BUCKETS, SCATTER_GRAD, REDUCE_PARTS, FETCH_F, FETCH_B, GATHER_F, GATHER_B, which wait for
    /// their compute action, or GATHER_PARAM.
    void announce(const Action& action);
    /// begin() and end() stand around a compute action. begin() returns whether anything runs beside it. If so, this
    /// object owns the compute lane until end(): it finishes the layers one by one on the clock, and splits the spans
    /// at waits. Where not followsDevice(), the device's work must be over at end().
    bool begin(const Action& compute);
    void end();
    /// Everything that the device is asked for from now on comes after all reductions. Records what has been done.
    void settleReductions() { settle(lastReduction_); }
    /// Waits until everything that was started is over.
    void settleAll();
    /// The processor waits until everything that was started is over. To be called before the processor waits for the
    /// device, which does not notice that a replica is lost.
    void drain();
    /// Records what has been done. Throws where a replica is lost.
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
    /// Whether everything that the device is asked for from now on comes after the reduction.
    bool isOver(const Reduction& reduction) const { return beside_->awaited(reduction.ticket); }
    /// The modelled moment from which the link from the host is free; all copies that come over it reserve it.
    std::int64_t& fromHostFree() { return fromHostFree_; }
    /// Seconds of the collectives and fetches, and of the waits for them, that have been recorded in the step.
    double communicatedSeconds() const { return toSeconds(communicated_); }
    double exposedSeconds() const { return toSeconds(spans_.waited()); }

    void beforeUse(int layer) override;
    void afterUse(int layer) override;
    void beforeRecompute(int layer) override;
    void afterRecompute(int layer) override;
    void beforeGradient(int layer) override;
    void afterGradient(int layer) override;
    bool placesGradients() const override { return setup_.parallel.zero >= 2; }

private:
    struct Piece {
        Action action;
        int index = 0;
        CollectivesBesideCompute::Ticket ticket = 0;
        std::int64_t bytes = 0;
        std::optional<TimeSpan> modelled;
        std::shared_ptr<std::vector<RingHop>> hops;
        std::shared_ptr<DeviceMoment> over = nullptr;  ///< of a fetch under way, for who starts after it
    };
    using PiecePtr = std::shared_ptr<Piece>;
    using Collective = std::function<RequestPtr(Communicator&, ArraySpan)>;
    /// What ranks exchange: `collective` works on `whole`, or on a copy in the processor's memory where the group
    /// cannot reach `whole`.
    struct PieceWork {
        ArraySpan whole;
        Collective collective;
        std::function<void()> finish = {};                ///< called once it is over
        std::shared_ptr<std::vector<RingHop>> hops = {};  ///< null: it is no ring
        Communicator* group = nullptr;                    ///< one of setup_; null: that of all pieces
        PiecePtr after = {};                              ///< with what its modelled time begins at the earliest
    };
    /// How those who hold the same of a unit sum it, leave each its part of the sum, or gather the parts: round a ring
    /// where the layout says so, else by the backend. Where one replica has all of the unit, the sum is left to it and
    /// comes from it.
    PieceWork workOn(const FlatUnit& unit, RingWay way, ArraySpan whole);

    const DataCosts& costsOf(const Action& action) const;
    /// A piece with its modelled time, which is ready once `after` is over; it may be null.
    PiecePtr newPiece(const Action& action, int index, std::int64_t bytes, const PiecePtr& after);
    PiecePtr started(const PiecePtr& piece);
    PiecePtr start(const Action& action, int index, PieceWork work);
    void post(Piece& piece, PieceWork work);
    PiecePtr startBucket(const Action& action, int index, const FlatUnit& unit);
    /// Exchanges the whole gradient of a unit as codes.
    PiecePtr startCoded(const Action& action, int index, const FlatUnit& unit, ArraySpan gradient,
                        std::function<void()> finish = {});
    /// What `exchange` does by way of the room for codes; it takes the place of the work's collective.
    using CodedExchange = RequestPtr (CodedStage::*)(ExchangeFormat, std::size_t, ArraySpan, Communicator&,
                                                     ArraySpan) const;
    PiecePtr startCodes(const Action& action, int index, PieceWork work, CodedExchange exchange, std::int64_t bytes);
    /// Where there are several copies, with the sum between them after it.
    PiecePtr startScatter(const Action& action, int index, const FlatUnit& unit);
    /// Who holds the same of a unit, where these are not all of setup_.group.
    Communicator* holdersOf(const FlatUnit& unit) const { return unit.spread > 1 ? setup_.sameExperts.get() : nullptr; }
    /// The collective, which a device begins once the fetch is over; it may be null.
    static Collective after(const PiecePtr& fetched, Collective collective);
    /// Copies this replica's part of a unit from the host to `to`.
    PiecePtr startFetch(const Action& action, int index, ConstArraySpan from, ArraySpan to);
    const std::vector<UnitGather>& reads() const;
    void bringWeights();
    void arrive(int layer);
    void await(const PiecePtr& piece);
    /// Calls `wait`, in which the compute lane waits for `what`, and records the time.
    void recordWait(const Action& what, const std::function<void()>& wait);
    void settle(const PiecePtr& piece);
    void record(const Piece& piece, const CollectivesBesideCompute::Times& real);
    /// The moment at which everything asked for so far is done.
    Moment mark() const { return followsDevice_ ? setup_.trace.mark() : Moment(setup_.trace.now()); }
    ArraySpan gradientSlot(const FlatUnit& unit, std::size_t& taken) const;

    DataParallelCommSetup setup_;
    const bool followsDevice_;
    const bool alone_;  ///< there is one replica, and nothing to exchange
    StepClock* clock_;
    SplitSpans spans_;
    std::map<int, std::unique_ptr<StageShards>> shards_;
    std::map<int, std::unique_ptr<CodedStage>> coded_;
    Buffer codes_;                                  ///< of the exchange under way: there is one at a time
    std::map<int, std::vector<FlatUnit>> reduced_;  ///< in the order in which gradients become final
    std::map<int, std::vector<UnitGather>> forward_, backward_;
    GatherRoom room_;
    LayerSlots gradientSlots_;
    std::vector<Action> announced_;

    // The compute action under way.
    Action compute_;
    bool active_ = false;
    std::optional<Action> fetch_, gather_, reduce_, parts_;
    std::size_t brought_ = 0, reductions_ = 0;
    int bringing_ = -1;                              ///< the layer whose weights were asked for last
    std::map<int, std::vector<PiecePtr>> arriving_;  ///< by layer
    LayeredShares seconds_;                          ///< seconds of the whole action

    std::size_t gradientTurn_ = 0;
    PiecePtr slotScatter_[2], stayScatter_;
    PiecePtr last_, lastReduction_;
    std::deque<PiecePtr> pieces_;  ///< started, not yet recorded
    std::int64_t dataFree_ = 0;    ///< modelled moment from which the link of the data axis is free
    std::int64_t fromHostFree_ = 0;
    std::int64_t fetchedUntil_ = 0;  ///< end of the last fetch that was recorded
    std::int64_t communicated_ = 0;
    std::unique_ptr<CollectivesBesideCompute> beside_;  ///< last: its thread works in the memory of the members above
};

}  // namespace shardlab::train
