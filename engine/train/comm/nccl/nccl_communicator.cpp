// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/nccl/nccl_communicator.h"

#include "engine/train/comm/backoff.h"
#include "engine/train/comm/ring_collectives.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace shardlab::train {

namespace {

DeviceReduction reductionOf(ReduceOp op) { return op == ReduceOp::Max ? DeviceReduction::Max : DeviceReduction::Sum; }

/// The id of a group, which member 0 draws.
DeviceGroupId sharedId(Communicator& host, DeviceGroups& groups) {
    DeviceGroupId id;
    if (host.rank() == 0) id = groups.newId();
    host.broadcast(id.bytes, 0);
    return id;
}

}  // namespace

DirectExchange findDirectExchange(Communicator& world, Device& device) {
    const DeviceGroupsOrReason own = device.groups();
    // A rank that cannot take part has an empty identity.
    std::array<std::int32_t, 16> mine{};
    const std::string identity = own.groups ? device.identity() : "";
    std::memcpy(mine.data(), identity.data(), std::min(identity.size(), sizeof mine));
    std::vector<std::int32_t> all(mine.size() * static_cast<std::size_t>(world.size()));
    world.allGather({{mine.data(), DType::I32}, mine.size()}, {{all.data(), DType::I32}, all.size()});
    const auto of = [&](int rank) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(mine.size()) * rank;
        return std::vector<std::int32_t>(begin, begin + static_cast<std::ptrdiff_t>(mine.size()));
    };
    const std::vector<std::int32_t> none(mine.size());
    for (int rank = 0; rank < world.size(); ++rank) {
        if (of(rank) == none)
            return {nullptr,
                    own.groups ? "rank " + std::to_string(rank) + " has no NCCL: shardlab doctor on its host says why"
                               : own.reason,
                    nullptr};
        for (int other = 0; other < rank; ++other)
            if (of(other) == of(rank))
                return {nullptr, "ranks " + std::to_string(other) + " and " + std::to_string(rank) + " share a GPU",
                        nullptr};
    }
    const auto look = std::make_shared<const std::function<void()>>([&world] { world.requireMembers(); });
    own.groups->watch(look);
    return {own.groups, {}, look};
}

/// An fp32 copy of an array, on the device.
class NcclCommunicator::Wide {
public:
    Wide(Device& device, ConstArraySpan array)
        : device_(device), data_(device.allocate(array.size() * sizeof(float))), size_(array.size()) {
        device.convert(static_cast<std::int64_t>(size_), array.data(), whole());
    }
    ~Wide() { device_.release(data_); }
    Wide(const Wide&) = delete;
    Wide& operator=(const Wide&) = delete;

    Array whole() const { return {data_, DType::F32}; }
    /// Rounds this many elements from `begin` on.
    void roundTo(ArraySpan array, std::size_t begin = 0) const {
        device_.convert(static_cast<std::int64_t>(array.size()), whole() + static_cast<std::ptrdiff_t>(begin),
                        array.data());
    }

private:
    Device& device_;
    void* data_;
    std::size_t size_;
};

/// The device is asked once for what follows an exchange, by the first call that finds the exchange done.
class NcclCommunicator::Collective final : public Request {
public:
    Collective(Communicator& host, std::unique_ptr<DeviceExchange> exchange, std::function<void()> after)
        : host_(host), exchange_(std::move(exchange)), after_(std::move(after)) {}
    bool test() override {
        over_ = over_ || exchange_->done();
        if (over_) follow();
        else host_.requireMembers();
        return over_;
    }
    void wait() override { follow(); }
    DeviceSpan span() const override { return {exchange_->begin(), exchange_->end()}; }

private:
    void follow() {
        if (std::exchange(followed_, true)) return;
        exchange_->precede();
        if (after_) after_();
        after_ = {};
    }

    Communicator& host_;
    std::unique_ptr<DeviceExchange> exchange_;
    std::function<void()> after_;
    bool over_ = false, followed_ = false;
};

NcclCommunicator::NcclCommunicator(std::unique_ptr<Communicator> host, std::span<const int> members, Device& device,
                                   DeviceGroups& groups)
    : staged_(std::move(host), device), members_(members.begin(), members.end()), device_(device), groups_(groups) {}

/// The two members of a link leave it together, so that all members close their links in one order.
NcclCommunicator::~NcclCommunicator() {
    for (std::unique_ptr<DirectLink>& link : links_) link.reset();
}

std::unique_ptr<Communicator> NcclCommunicator::group(std::span<const int> members) {
    return std::make_unique<NcclCommunicator>(staged_.host().group(members), members, device_, groups_);
}

/// The first exchange of two members holds up each until the other asks for it too, and the receiver of a message asks
/// only after the sender has gone on. So the first exchange is made here, where both members are.
void NcclCommunicator::meet(DeviceGroup& link, bool sends) {
    void* const byte = device_.allocate(1);
    link.begin();
    if (sends) link.send(byte, 1, 1);
    else link.receive(byte, 1, 0);
    const std::unique_ptr<DeviceExchange> exchange = link.end();
    for (Backoff idle(false); !exchange->done(); idle.pause()) headers_->requireMembers();
    device_.release(byte);
}

/// Links are made one after another, in the same order on all members, so that no two members wait for each other.
void NcclCommunicator::connect(std::span<const std::pair<int, int>> links) {
    if (!headers_) headers_ = staged_.host().group(members_);
    for (const auto& [sender, receiver] : links) {
        if (sender == receiver || (sender != rank() && receiver != rank())) continue;
        const bool sends = sender == rank();
        DirectLink*& place = sends ? to_[receiver] : from_[sender];
        if (place) continue;
        const int peer = sends ? receiver : sender;
        DeviceGroupId id;
        if (sends) {
            id = groups_.newId();
            headers_->send(id.bytes, peer, 0);
        } else {
            headers_->receive(id.bytes, peer, 0);
        }
        std::unique_ptr<DeviceGroup> link = groups_.join(id, sends ? 0 : 1, 2);
        meet(*link, sends);
        links_.push_back(std::make_unique<DirectLink>(std::move(link), *headers_, peer, device_));
        place = links_.back().get();
    }
}

RequestPtr NcclCommunicator::isend(std::span<const std::byte> data, int peer, int tag) {
    const auto link = to_.find(peer);
    return link == to_.end() ? staged_.isend(data, peer, tag) : link->second->send(data, tag);
}

RequestPtr NcclCommunicator::ireceive(std::span<std::byte> data, int peer, int tag) {
    const auto link = from_.find(peer);
    return link == from_.end() ? staged_.ireceive(data, peer, tag) : link->second->receive(data, tag);
}

DeviceGroup& NcclCommunicator::all() {
    if (!all_) all_ = groups_.join(sharedId(staged_.host(), groups_), rank(), size());
    return *all_;
}

RequestPtr NcclCommunicator::start(const Calls& calls, std::function<void()> after) {
    DeviceGroup& group = all();
    group.begin(std::exchange(startAfter_, nullptr).get());
    calls(group);
    return std::make_unique<Collective>(staged_.host(), group.end(), std::move(after));
}

// The sum of two numbers is rounded once, whatever type it is taken in.
bool NcclCommunicator::widens(DType type, ReduceOp op) const {
    return sizeOf(type) == 2 && op == ReduceOp::Sum && size() > 2;
}

RequestPtr NcclCommunicator::iallReduce(ArraySpan data, ReduceOp op) {
    if (!widens(data.type(), op))
        return start(
            [&](DeviceGroup& group) { group.allReduce(data.data(), data.data(), data.size(), reductionOf(op)); });
    const auto wide = std::make_shared<Wide>(device_, data);
    return start(
        [&](DeviceGroup& group) { group.allReduce(wide->whole(), wide->whole(), data.size(), reductionOf(op)); },
        [wide, data] { wide->roundTo(data); });
}

RequestPtr NcclCommunicator::ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) {
    requireSize(input.size() == output.size() * static_cast<std::size_t>(size()), "reduce-scatter",
                "input has size() times the elements of output");
    if (!widens(input.type(), op))
        return start([&](DeviceGroup& group) {
            group.reduceScatter(input.data(), output.data(), output.size(), reductionOf(op));
        });
    const auto wide = std::make_shared<Wide>(device_, input);
    const std::size_t own = output.size() * static_cast<std::size_t>(rank());
    return start(
        [&](DeviceGroup& group) {
            group.reduceScatter(wide->whole(), wide->whole() + static_cast<std::ptrdiff_t>(own), output.size(),
                                reductionOf(op));
        },
        [wide, output, own] { wide->roundTo(output, own); });
}

RequestPtr NcclCommunicator::iallGather(ConstArraySpan input, ArraySpan output) {
    requireSize(output.size() == input.size() * static_cast<std::size_t>(size()), "all-gather",
                "output has size() times the elements of input");
    return start([&](DeviceGroup& group) { group.allGather(input.data(), output.data(), input.size()); });
}

RequestPtr NcclCommunicator::iallToAllParts(ConstArraySpan input, ArraySpan output,
                                            std::span<const std::size_t> sizes) {
    const ExchangedParts parts = exchangedParts(rank(), size(), sizes, input.size(), output.size());
    return start([&](DeviceGroup& group) {
        for (int k = 0; k < size(); ++k) {
            const ElementRange mine = parts.sent[static_cast<std::size_t>(k)],
                               theirs = parts.received[static_cast<std::size_t>(k)];
            const auto sent = input.subspan(mine.begin, mine.count).bytes();
            const auto came = output.subspan(theirs.begin, theirs.count).bytes();
            if (!sent.empty()) group.send(sent.data(), sent.size(), k);
            if (!came.empty()) group.receive(came.data(), came.size(), k);
        }
    });
}

RequestPtr NcclCommunicator::ireduceParts(ArraySpan block) {
    const auto reduce = [this](DeviceGroup& group, ArraySpan whole) {
        for (int k = 0; k < size(); ++k) {
            const ArraySpan part = partOf(whole, k, size());
            group.reduce(part.data(), part.data(), part.size(), DeviceReduction::Sum, k);
        }
    };
    if (!widens(block.type(), ReduceOp::Sum)) return start([&](DeviceGroup& group) { reduce(group, block); });
    const auto wide = std::make_shared<Wide>(device_, block);
    const ElementRange own = partRange(block.size(), rank(), size());
    return start(
        [&](DeviceGroup& group) {
            reduce(group, {wide->whole(), block.size()});
        },
        [wide, block, own] { wide->roundTo(block.subspan(own.begin, own.count), own.begin); });
}

RequestPtr NcclCommunicator::igatherParts(ArraySpan block) {
    return start([&](DeviceGroup& group) {
        for (int k = 0; k < size(); ++k) {
            const auto part = partOf(block, k, size()).bytes();
            group.broadcast(part.data(), part.size(), k);
        }
    });
}

RequestPtr NcclCommunicator::ireduceTo(ArraySpan block, int owner) {
    if (!widens(block.type(), ReduceOp::Sum))
        return start([&](DeviceGroup& group) {
            group.reduce(block.data(), block.data(), block.size(), DeviceReduction::Sum, owner);
        });
    const auto wide = std::make_shared<Wide>(device_, block);
    const bool changed = owner == rank();
    return start(
        [&](DeviceGroup& group) {
            group.reduce(wide->whole(), wide->whole(), block.size(), DeviceReduction::Sum, owner);
        },
        [wide, block, changed] {
            if (changed) wide->roundTo(block);
        });
}

RequestPtr NcclCommunicator::ibroadcast(std::span<std::byte> data, int root) {
    return start([&](DeviceGroup& group) { group.broadcast(data.data(), data.size(), root); });
}

}  // namespace shardlab::train
