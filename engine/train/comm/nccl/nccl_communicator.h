// SPDX-License-Identifier: Apache-2.0
// A group of ranks with a GPU each, whose arrays go from GPU to GPU (kernels/device_group.h).
#pragma once

#include "engine/train/comm/communicator.h"
#include "engine/train/comm/nccl/direct_link.h"
#include "engine/train/comm/staged_communicator.h"
#include "kernels/device.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace shardlab::train {

/// What carries arrays from GPU to GPU on every rank of a world, or why nothing does.
struct DirectExchange {
    DeviceGroups* groups = nullptr;
    std::string reason;  ///< "ranks 0 and 2 share a GPU"
    /// Tells the groups while it lives whether all ranks of the world do.
    std::shared_ptr<const std::function<void()>> look;
};

/// Collective over `world`: every rank gets groups or none does; the reason is what this rank knows about it. `world`
/// outlives what is returned.
DirectExchange findDirectExchange(Communicator& world, Device& device);

/// All addresses in its calls are addresses of the device, those of host() of the processor. Sums of 16-bit numbers are
/// taken in fp32 as everywhere; for more than two members that needs a copy which is twice as large. Messages along
/// links that were connected go from GPU to GPU, others by way of the host. Waiting for a request does not wait for the
/// GPU.
class NcclCommunicator final : public Communicator {
public:
    /// `host` has the same members, whose world ranks are `members`. `device` and its `groups` outlive the
    /// communicator.
    NcclCommunicator(std::unique_ptr<Communicator> host, std::span<const int> members, Device& device,
                     DeviceGroups& groups);
    ~NcclCommunicator() override;

    int rank() const override { return staged_.rank(); }
    int size() const override { return staged_.size(); }
    std::unique_ptr<Communicator> group(std::span<const int> members) override;
    RequestPtr isend(std::span<const std::byte> data, int peer, int tag) override;
    RequestPtr ireceive(std::span<std::byte> data, int peer, int tag) override;
    RequestPtr iallReduce(ArraySpan data, ReduceOp op) override;
    RequestPtr ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) override;
    RequestPtr iallGather(ConstArraySpan input, ArraySpan output) override;
    RequestPtr iallToAllParts(ConstArraySpan input, ArraySpan output, std::span<const std::size_t> sizes) override;
    RequestPtr ireduceParts(ArraySpan block) override;
    RequestPtr igatherParts(ArraySpan block) override;
    RequestPtr ireduceTo(ArraySpan block, int owner) override;
    RequestPtr ibroadcast(std::span<std::byte> data, int root) override;
    void barrier() override { staged_.barrier(); }
    void requireMembers() override { staged_.host().requireMembers(); }
    void connect(std::span<const std::pair<int, int>> links) override;
    void prepare() override { all(); }
    void startAfter(const std::shared_ptr<DeviceMoment>& moment) override { startAfter_ = moment; }
    Communicator& host() override { return staged_.host(); }

private:
    class Collective;
    class Wide;
    using Calls = std::function<void(DeviceGroup&)>;

    void meet(DeviceGroup& link, bool sends);
    /// The group of all members; the first collective makes it, or prepare().
    DeviceGroup& all();
    RequestPtr start(const Calls& calls, std::function<void()> after = {});
    /// Whether a sum must be taken in a wider type than the array's.
    bool widens(DType type, ReduceOp op) const;

    StagedCommunicator staged_;
    std::vector<int> members_;
    Device& device_;
    DeviceGroups& groups_;
    std::unique_ptr<DeviceGroup> all_;
    std::shared_ptr<DeviceMoment> startAfter_;        ///< for the next collective
    std::unique_ptr<Communicator> headers_;           ///< null until there are links
    std::vector<std::unique_ptr<DirectLink>> links_;  ///< in the order of connect
    std::map<int, DirectLink*> to_, from_;
};

}  // namespace shardlab::train
