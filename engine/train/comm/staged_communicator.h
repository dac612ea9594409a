// SPDX-License-Identifier: Apache-2.0
// A group of ranks whose data lie on devices, over a communicator that only reaches the processor's memory: every
// message goes by way of the host's memory. Several ranks on one GPU use it.
#pragma once

#include "engine/train/comm/communicator.h"
#include "kernels/device.h"

#include <memory>

namespace shardlab::train {

/// All addresses in its calls are addresses of the device.
class StagedCommunicator final : public Communicator {
public:
    /// `device` outlives the communicator and its requests.
    StagedCommunicator(std::unique_ptr<Communicator> inner, Device& device);
    ~StagedCommunicator() override;

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }
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
    void barrier() override { inner_->barrier(); }
    Communicator& host() override { return *inner_; }

private:
    struct Stages;
    class Passing;
    class Staged;
    Passing down(std::span<const std::byte> data);
    Passing room(std::size_t bytes);

    std::unique_ptr<Communicator> inner_;
    Device& device_;
    std::shared_ptr<Stages> stages_;
};

}  // namespace shardlab::train
