// SPDX-License-Identifier: Apache-2.0
#include "engine/train/run/data_parallel_comm.h"

#include "engine/base/clock.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/train/parallel/background_collectives.h"
#include "engine/train/parallel/device_collectives.h"

#include <algorithm>

namespace shardlab::train {
namespace {

RequestPtr summing(Communicator& group, ArraySpan data) { return group.iallReduce(data, ReduceOp::Sum); }

/// Whether devices begin and await collectives in their own order. A ring consists of the processor's messages and
/// sums, and only the processor waits for modelled moments. A single replica needs no group of devices.
bool devicesExchangeAlone(const DataParallelCommSetup& setup) {
    Device& device = setup.arena.device();
    const bool alone = replicaCount(setup.parallel) == 1 && device.mark();
    return (setup.direct || alone) && !device.onHost() && !setup.clock.isModelled() &&
           setup.parallel.allReduce != AllReduceKind::Ring;
}

/// What a device was asked for to its end: work that is over at a moment of its own.
class OwnWork final : public Request {
public:
    /// Null moments: it is over already. `group`: whose other members the device waits for; null: nobody's.
    OwnWork(Device& device, std::shared_ptr<DeviceMoment> begin, std::shared_ptr<DeviceMoment> end,
            Communicator* group = nullptr)
        : device_(device), begin_(std::move(begin)), end_(std::move(end)), group_(group) {}
    bool test() override {
        if (!end_ || end_->reached()) return true;
        if (group_) group_->requireMembers();
        return false;
    }
    void wait() override {
        if (end_) device_.await(*end_);
    }
    DeviceSpan span() const override { return {begin_, end_}; }

private:
    Device& device_;
    std::shared_ptr<DeviceMoment> begin_, end_;
    Communicator* group_;
};

/// Sums and gathers of a single replica.
RequestPtr nothingToExchange(Device& device) {
    const std::shared_ptr<DeviceMoment> now = device.mark();
    return std::make_unique<OwnWork>(device, now, now);
}

}  // namespace

DataParallelComm::PieceWork DataParallelComm::workOn(const FlatUnit& unit, RingWay way, ArraySpan whole) {
    PieceWork work{.whole = whole, .group = holdersOf(unit)};
    if (setup_.parallel.allReduce == AllReduceKind::Ring && unit.owner < 0 && exchanging(setup_.parallel, unit) > 1) {
        work.hops = std::make_shared<std::vector<RingHop>>();
        work.collective = [way, hops = work.hops, &trace = setup_.trace](Communicator& group, ArraySpan data) {
            return iring(way, group, data, hops.get(), [&trace] { return trace.now(); });
        };
        return work;
    }
    const bool gathers = way == RingWay::GatherParts;
    if (way == RingWay::AllReduce) work.collective = summing;
    else if (unit.owner < 0) work.collective = gathers ? &Communicator::igatherParts : &Communicator::ireduceParts;
    else
        work.collective = [gathers, owner = unit.owner](Communicator& group, ArraySpan data) {
            return gathers ? group.ibroadcast(data.bytes(), owner) : group.ireduceTo(data, owner);
        };
    return work;
}

DataParallelComm::DataParallelComm(DataParallelCommSetup setup)
    : setup_(std::move(setup)), followsDevice_(devicesExchangeAlone(setup_)),
      alone_(replicaCount(setup_.parallel) == 1), clock_(&setup_.clock), spans_(setup_.trace) {
    const auto clock = [this] { return setup_.trace.now(); };
    for (const auto& group : {&setup_.sameExperts, &setup_.samePart})
        if (followsDevice_ && *group) (*group)->prepare();
    if (followsDevice_) beside_ = std::make_unique<DeviceCollectives>(std::move(setup_.group), clock);
    else beside_ = std::make_unique<BackgroundCollectives>(std::move(setup_.group), clock);
    const int zero = setup_.parallel.zero;
    SlotSizes largest;
    std::int64_t room = 0, codes = 0;
    for (const auto& [index, stage] : setup_.stages) {
        stage->setHooks(this);
        const std::vector<FlatUnit> units = unitsOf(setup_.parallel, stage->parameters());
        const SlotSizes sizes = slotSizes(units);
        largest = {std::max(largest.turn, sizes.turn), std::max(largest.staying, sizes.staying)};
        reduced_[index] = reductionUnits(setup_.parallel, units, sizeOf(stage->types().gradients));
        if (setup_.format != ExchangeFormat::Full) {
            coded_[index] =
                std::make_unique<CodedStage>(*stage, setup_.parallel, reduced_[index], setup_.replica, setup_.arena);
            codes = std::max(codes, codeBufferBytes(setup_.format, setup_.parallel, reduced_[index]));
        }
        if (zero > 0)
            shards_[index] =
                std::make_unique<StageShards>(*stage, setup_.parallel, setup_.replica, setup_.arena, setup_.host);
        if (zero < 3) continue;
        forward_[index] = forwardGathers(units);
        backward_[index] = backwardGathers(units, stage->segments(), stage->hasLayer(-1));
        room = std::max(room, gatherRoom(units, stage->segments(), stage->hasLayer(-1)));
    }
    if (setup_.stages.empty()) return;
    if (codes > 0)
        codes_ = setup_.arena.allocateZeroed(MemoryCategory::Buffers, static_cast<std::size_t>(codes) / sizeof(float));
    const Types& types = setup_.stages.begin()->second->types();
    if (zero >= 2) gradientSlots_ = LayerSlots(largest, setup_.arena, types.gradients);
    if (zero >= 3) room_ = GatherRoom(room, largest.staying, setup_.arena, types.weights);
}

StageShards* DataParallelComm::shards(int stage) {
    const auto found = shards_.find(stage);
    return found == shards_.end() ? nullptr : found->second.get();
}

CodedStage* DataParallelComm::coded(int stage) {
    const auto found = coded_.find(stage);
    return found == coded_.end() ? nullptr : found->second.get();
}

const DataCosts& DataParallelComm::costsOf(const Action& action) const {
    return setup_.costs.stages[static_cast<std::size_t>(action.stage)].data;
}

void DataParallelComm::post(Piece& piece, PieceWork work) {
    Device& device = setup_.arena.device();
    Communicator* const among = work.group;
    const ArraySpan whole = work.whole;
    if (alone_) {
        piece.ticket = beside_->post(
            [&device](Communicator&) {
                device.enter();
                return nothingToExchange(device);
            },
            std::move(work.finish));
        return;
    }
    if (device.onHost() || (setup_.onDevice && !piece.hops)) {
        piece.ticket = beside_->post(
            [whole, &device, among, collective = std::move(work.collective)](Communicator& group) {
                device.enter();
                return collective(among ? *among : group, whole);
            },
            std::move(work.finish));
        return;
    }
    const auto copy = std::make_shared<std::vector<std::byte>>(whole.bytes().size());
    piece.ticket = beside_->post(
        [=, &device, collective = std::move(work.collective)](Communicator& group) {
            device.enter();
            device.download(whole.data().data, copy->data(), copy->size());
            return collective((among ? *among : group).host(), {{copy->data(), whole.type()}, whole.size()});
        },
        [=, &device, finish = std::move(work.finish)] {
            device.upload(copy->data(), whole.data().data, copy->size());
            if (finish) finish();
        });
}

DataParallelComm::PiecePtr DataParallelComm::start(const Action& action, int index, PieceWork work) {
    const PiecePtr piece = newPiece(action, index, static_cast<std::int64_t>(work.whole.bytes().size()), work.after);
    piece->hops = work.hops;
    post(*piece, std::move(work));
    return started(piece);
}

DataParallelComm::PiecePtr DataParallelComm::newPiece(const Action& action, int index, std::int64_t bytes,
                                                      const PiecePtr& after) {
    auto piece = std::make_shared<Piece>();
    piece->action = action;
    piece->index = index;
    piece->bytes = bytes;
    const double seconds = costsOf(action).pieces(action.kind).at(static_cast<std::size_t>(index)).seconds;
    std::int64_t& link = isHostCopy(action.kind) ? fromHostFree_ : dataFree_;
    const std::int64_t ready = std::max(clock_->now(), after && after->modelled ? after->modelled->end : 0);
    piece->modelled = clock_->reserve(link, ready, toNanoseconds(seconds * setup_.costs.stretch));
    return piece;
}

DataParallelComm::PiecePtr DataParallelComm::started(const PiecePtr& piece) {
    pieces_.push_back(piece);
    last_ = piece;
    return piece;
}

DataParallelComm::PiecePtr DataParallelComm::startFetch(const Action& action, int index, ConstArraySpan from,
                                                        ArraySpan to) {
    const std::int64_t bytes = costsOf(action).pieces(action.kind).at(static_cast<std::size_t>(index)).bytes;
    const PiecePtr piece = newPiece(action, index, bytes, nullptr);
    Device& device = setup_.arena.device();
    piece->ticket = beside_->post([from, to, &device, into = piece.get()](Communicator&) {
        device.enter();
        const std::shared_ptr<DeviceMoment> begin = device.mark();
        if (!from.empty()) into->over = device.uploadAhead(from.data().data, to.data().data, from.bytes().size());
        return std::make_unique<OwnWork>(device, begin, into->over ? into->over : begin);
    });
    return started(piece);
}

void DataParallelComm::announce(const Action& action) {
    if (action.kind == ActionKind::GatherUpdated) {
        const std::vector<FlatUnit>& units = shards_.at(action.stage)->reduced();
        for (std::size_t i = 0; i < units.size(); ++i) {
            const ArraySpan whole = shards_.at(action.stage)->values(units[i]);
            start(action, static_cast<int>(i), workOn(units[i], RingWay::GatherParts, whole));
        }
        return;
    }
    announced_.push_back(action);
    const bool fetches = fetchesWeights(action.kind);
    if (!fetches && !gathersWeights(action.kind)) return;
    (fetches ? fetch_ : gather_) = action;
    if (fetches && !alone_) return;  // they are gathered next
    brought_ = 0;
    bringing_ = -1;
    arriving_.clear();
    room_.clear();
    bringWeights();
}

bool DataParallelComm::begin(const Action& compute) {
    if (announced_.empty()) return false;
    for (const Action& action : announced_)
        if (action.kind == ActionKind::ReduceParts) parts_ = action;
        else if (action.kind == ActionKind::ReduceBuckets || action.kind == ActionKind::ScatterGradients)
            reduce_ = action;
    announced_.clear();
    compute_ = compute;
    active_ = true;
    reductions_ = 0;
    spans_.begin(compute, mark());
    const LayeredShares shares = setup_.costs.layered(compute);
    const double seconds = setup_.costs.seconds(compute);
    seconds_ = {seconds * shares.again, seconds * shares.use, seconds * shares.gradient};
    return true;
}

void DataParallelComm::end() {
    spans_.end(mark());
    active_ = false;
    fetch_.reset();
    gather_.reset();
    reduce_.reset();
    parts_.reset();
}

ArraySpan DataParallelComm::gradientSlot(const FlatUnit& unit, std::size_t& taken) const {
    if (unit.staysBetweenLayers()) return gradientSlots_.staying();
    const ArraySpan slot = gradientSlots_.turn(gradientTurn_);
    const ArraySpan place = slot.subspan(taken, slot.size() - taken);
    taken += static_cast<std::size_t>(unit.size);
    return place;
}

/// The units that the compute action reads, in the order of use.
const std::vector<UnitGather>& DataParallelComm::reads() const {
    const Action& action = gather_ ? *gather_ : *fetch_;
    const bool forward = action.kind == ActionKind::GatherForward || action.kind == ActionKind::FetchForward;
    return (forward ? forward_ : backward_).at(action.stage);
}

/// Starts what brings the weights of the next layer that is used: from the host, and then from replicas.
void DataParallelComm::bringWeights() {
    const std::vector<UnitGather>& all = reads();
    if (brought_ == all.size()) return;
    bringing_ = all[brought_].layer;
    for (; brought_ < all.size() && all[brought_].layer == bringing_; ++brought_) {
        const FlatUnit& unit = all[brought_].unit;
        const int index = static_cast<int>(brought_);
        StageShards& shards = *shards_.at((gather_ ? gather_ : fetch_)->stage);
        const ArraySpan whole = shards.gatherInto(unit, room_.place(all[brought_]));
        PiecePtr fetched;
        if (fetch_) {
            fetched = startFetch(*fetch_, index, shards.ownValues(unit), shards.ownPart(unit, whole));
            arriving_[bringing_].push_back(fetched);
        }
        if (!gather_) continue;
        PieceWork gather = workOn(unit, RingWay::GatherParts, whole);
        gather.collective = after(fetched, std::move(gather.collective));
        gather.after = fetched;
        arriving_[bringing_].push_back(start(*gather_, index, std::move(gather)));
    }
}

DataParallelComm::Collective DataParallelComm::after(const PiecePtr& fetched, Collective collective) {
    if (!fetched) return collective;
    return [fetched, collective = std::move(collective)](Communicator& group, ArraySpan whole) {
        if (fetched->over) group.startAfter(fetched->over);
        return collective(group, whole);
    };
}

void DataParallelComm::arrive(int layer) {
    if (!gather_ && !fetch_) return;
    for (const PiecePtr& piece : arriving_[layer]) await(piece);
    if (layer == bringing_) bringWeights();
}

void DataParallelComm::beforeUse(int layer) {
    if (active_) arrive(layer);
}

void DataParallelComm::afterUse(int layer) {
    if (active_)
        clock_->finishPart(compute_, seconds_.use * costsOf(compute_).layerShare[static_cast<std::size_t>(layer)]);
}

void DataParallelComm::beforeRecompute(int layer) {
    if (active_) arrive(layer);
}

void DataParallelComm::afterRecompute(int layer) {
    if (active_)
        clock_->finishPart(compute_, seconds_.again * costsOf(compute_).againShare[static_cast<std::size_t>(layer)]);
}

void DataParallelComm::beforeGradient(int layer) {
    if (!active_ || setup_.parallel.zero < 2) return;
    StageShards& shards = *shards_.at(compute_.stage);
    const std::vector<FlatUnit>& units = shards.reduced();
    const bool first = layer == setup_.stages.at(compute_.stage)->layers() - 1;
    if (first && stayScatter_) await(stayScatter_);
    gradientTurn_ ^= 1;
    if (slotScatter_[gradientTurn_]) await(slotScatter_[gradientTurn_]);
    // Before copies are summed, the shard must have what the microbatch before left. Where it was this layer's, that
    // may still be on its way.
    const bool alone = first && layer == 0;
    if (parts_ && alone && slotScatter_[gradientTurn_ ^ 1]) await(slotScatter_[gradientTurn_ ^ 1]);
    std::size_t taken = 0;
    for (const FlatUnit& unit : units)
        if (unit.highestLayer == layer) shards.bindGradient(unit, gradientSlot(unit, taken));
}

void DataParallelComm::afterGradient(int layer) {
    if (!active_) return;
    clock_->finishPart(compute_, seconds_.gradient * costsOf(compute_).layerShare[static_cast<std::size_t>(layer)]);
    if (!reduce_) return;
    const std::vector<FlatUnit>& units = reduced_.at(compute_.stage);
    for (; reductions_ < units.size() && units[reductions_].lowestLayer == layer; ++reductions_) {
        const FlatUnit& unit = units[reductions_];
        const int index = static_cast<int>(reductions_);
        lastReduction_ = reduce_->kind == ActionKind::ReduceBuckets ? startBucket(*reduce_, index, unit)
                                                                    : startScatter(*reduce_, index, unit);
        if (setup_.parallel.zero >= 2)
            (unit.staysBetweenLayers() ? stayScatter_ : slotScatter_[gradientTurn_]) = lastReduction_;
    }
}

DataParallelComm::PiecePtr DataParallelComm::startBucket(const Action& action, int index, const FlatUnit& unit) {
    const ArraySpan block = setup_.stages.at(action.stage)
                                ->gradientBlock()
                                .subspan(static_cast<std::size_t>(unit.begin), static_cast<std::size_t>(unit.size));
    if (coded(action.stage)) return startCoded(action, index, unit, block);
    return start(action, index, workOn(unit, RingWay::AllReduce, block));
}

DataParallelComm::PiecePtr DataParallelComm::startCodes(const Action& action, int index, PieceWork work,
                                                        CodedExchange exchange, std::int64_t bytes) {
    work.collective = [this, &coded = *coded_.at(action.stage), index, exchange](Communicator& group,
                                                                                 ArraySpan gradient) -> RequestPtr {
        Device& device = setup_.arena.device();
        std::shared_ptr<DeviceMoment> begin = followsDevice_ ? device.mark() : nullptr;
        RequestPtr exchanged =
            (coded.*exchange)(setup_.format, static_cast<std::size_t>(index), gradient, group, codes_.span());
        if (!followsDevice_) return exchanged;
        // Devices begin what they are asked for at once, and there is one room for codes.
        exchanged->wait();
        return std::make_unique<OwnWork>(device, std::move(begin), device.mark(), &group);
    };
    PiecePtr piece = start(action, index, std::move(work));
    piece->bytes = bytes;
    return piece;
}

DataParallelComm::PiecePtr DataParallelComm::startCoded(const Action& action, int index, const FlatUnit& unit,
                                                        ArraySpan gradient, std::function<void()> finish) {
    return startCodes(action, index, {.whole = gradient, .finish = std::move(finish), .group = holdersOf(unit)},
                      &CodedStage::exchange, codedBytes(setup_.format, unit.size, exchanging(setup_.parallel, unit)));
}

DataParallelComm::PiecePtr DataParallelComm::startScatter(const Action& action, int index, const FlatUnit& unit) {
    StageShards& shards = *shards_.at(action.stage);
    const ArraySpan whole = shards.gradient(unit);
    const auto keep = [&shards, unit, whole] { shards.keepGradient(unit, whole); };
    if (coded(action.stage)) {
        if (!parts_) return startCoded(action, index, unit, whole, keep);
        const PiecePtr scattered =
            startCoded(action, index, unit, whole, [&shards, unit, whole] { shards.returnGradient(unit, whole); });
        if (followsDevice_) await(scattered);
        return startCodes(*parts_, index,
                          {.whole = shards.ownPart(unit, whole), .finish = keep, .group = setup_.samePart.get()},
                          &CodedStage::exchangePart, codedPartBytes(setup_.format, setup_.parallel, unit));
    }
    PieceWork scatter = workOn(unit, RingWay::ReduceParts, whole);
    if (!parts_) {
        scatter.finish = keep;
        return start(action, index, std::move(scatter));
    }
    // What earlier microbatches left takes part in the sum between copies.
    shards.returnGradient(unit, whole);
    const PiecePtr scattered = start(action, index, std::move(scatter));
    // A device starts exchanges of two groups side by side, unless its own calls lie between them.
    if (followsDevice_) await(scattered);
    return start(
        *parts_, index,
        {.whole = shards.ownPart(unit, whole), .collective = summing, .finish = keep, .group = setup_.samePart.get()});
}

void DataParallelComm::await(const PiecePtr& piece) {
    using Ticket = CollectivesBesideCompute::Ticket;
    const bool awaited = beside_->awaited(piece->ticket);
    if (piece->modelled) {
        // One wait for the real collective and the modelled one, of which either may be over sooner.
        const auto both = [&] {
            if (!awaited) beside_->wait(piece->ticket, [](Ticket, const auto& wait) { wait(); });
            clock_->waitUntil(piece->modelled->end);
        };
        if (awaited && piece->modelled->end <= setup_.trace.now()) return both();
        return recordWait(piece->action, both);
    }
    if (awaited) return;
    beside_->wait(piece->ticket, [this](Ticket ticket, const auto& wait) {
        if (pieces_.empty() || ticket < pieces_.front()->ticket) return wait();  // recorded already
        recordWait(pieces_[static_cast<std::size_t>(ticket - pieces_.front()->ticket)]->action, wait);
    });
}

void DataParallelComm::recordWait(const Action& what, const std::function<void()>& wait) {
    RankTrace& trace = setup_.trace;
    const Moment from = mark();
    if (!followsDevice_ && !isHostCopy(what.kind)) trace.doing(RankPhase::Communicating, what);
    wait();
    spans_.wait(what, from, mark());
    if (active_) trace.doing(RankPhase::Compute, compute_);
}

void DataParallelComm::settle(const PiecePtr& piece) {
    if (piece) await(piece);
    collect();
}

void DataParallelComm::settleAll() {
    settle(last_);
    drain();
    last_ = lastReduction_ = stayScatter_ = nullptr;
    slotScatter_[0] = slotScatter_[1] = nullptr;
}

void DataParallelComm::drain() {
    if (last_ && followsDevice_) setup_.trace.doing(RankPhase::Communicating, last_->action);
    beside_->drain();
}

void DataParallelComm::collect() {
    spans_.collect();
    while (!pieces_.empty()) {
        const auto times = beside_->times(pieces_.front()->ticket);
        if (!times) return;
        record(*pieces_.front(), *times);
        pieces_.pop_front();
    }
}

void DataParallelComm::record(const Piece& piece, const CollectivesBesideCompute::Times& real) {
    auto [begin, end] = piece.modelled.value_or(TimeSpan{real.begin, real.end});
    const bool copies = isHostCopy(piece.action.kind);
    if (copies && !piece.modelled) {  // a device asked for it while the link was busy with the one before
        begin = std::clamp(fetchedUntil_, begin, end);
        fetchedUntil_ = end;
    }
    communicated_ += end - begin;
    if (!piece.hops) {
        setup_.trace.span(copies ? Lane::Copy : Lane::Comm, eventKind(piece.action.kind), begin, end, piece.action,
                          piece.bytes, piece.index);
        return;
    }
    const auto count = static_cast<std::int64_t>(piece.hops->size());
    for (std::int64_t i = 0; i < count; ++i) {
        const RingHop& hop = (*piece.hops)[static_cast<std::size_t>(i)];
        const std::int64_t from = piece.modelled ? begin + (end - begin) * i / count : hop.begin;
        const std::int64_t to = piece.modelled ? begin + (end - begin) * (i + 1) / count : hop.end;
        setup_.trace.span(Lane::Comm, EventKind::RingHop, from, to, piece.action, hop.bytes, piece.index);
    }
}

}  // namespace shardlab::train
