// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/staged_communicator.h"

#include <exception>
#include <map>
#include <utility>
#include <vector>

namespace shardlab::train {

/// The host's staging memory: blocks that were used before are used again, by size.
struct StagedCommunicator::Stages {
    explicit Stages(Device& of) : device(of) {}
    ~Stages() {
        try {
            if (!read.empty()) device.synchronize();
        } catch (const std::exception&) {
            // The device has failed, and reads no more.
        }
        for (void* each : all) device.releaseStaging(each);
    }
    Stages(const Stages&) = delete;
    Stages& operator=(const Stages&) = delete;

    void* take(std::size_t bytes) {
        // Memory that the device still reads is not free yet.
        std::erase_if(read, [&](const Read& each) {
            if (!each.until->reached()) return false;
            free[each.bytes].push_back(each.data);
            return true;
        });
        std::vector<void*>& kept = free[bytes];
        if (kept.empty()) {
            kept.push_back(device.allocateStaging(bytes));
            all.push_back(kept.back());
        }
        void* data = kept.back();
        kept.pop_back();
        return data;
    }
    void giveBack(void* data, std::size_t bytes, std::shared_ptr<DeviceMoment> until) {
        if (until) read.push_back({data, bytes, std::move(until)});
        else free[bytes].push_back(data);
    }

    Device& device;

private:
    struct Read {
        void* data;
        std::size_t bytes;
        std::shared_ptr<DeviceMoment> until;
    };
    std::vector<void*> all;
    std::map<std::size_t, std::vector<void*>> free;
    std::vector<Read> read;
};

/// A block of staging memory that data pass through.
class StagedCommunicator::Passing {
public:
    Passing(std::shared_ptr<Stages> stages, std::size_t bytes) : stages_(std::move(stages)), bytes_(bytes) {
        if (bytes > 0) data_ = stages_->take(bytes);
    }
    Passing(Passing&& other) noexcept
        : stages_(std::move(other.stages_)), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_),
          read_(std::move(other.read_)) {}
    Passing& operator=(Passing&&) = delete;
    ~Passing() {
        if (data_) stages_->giveBack(data_, bytes_, std::move(read_));
    }

    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }
    ArraySpan array(DType type) const { return {Array(data_, type), bytes_ / sizeOf(type)}; }
    /// Copies up to memory that the device has had no other use for since `after`.
    void up(std::span<std::byte> to, const DeviceMoment* after) {
        if (bytes_ > 0) read_ = stages_->device.uploadBeside(after, data_, to.data(), bytes_);
    }

private:
    std::shared_ptr<Stages> stages_;
    void* data_ = nullptr;
    std::size_t bytes_;
    std::shared_ptr<DeviceMoment> read_;  ///< when the device has read the block; null: now
};

/// The inner operation, and the copy up to the device once it is done.
class StagedCommunicator::Staged final : public Request {
public:
    /// `asked`: the moment since when `to` belongs to this operation alone.
    Staged(RequestPtr inner, Passing in, Passing out, std::span<std::byte> to,
           std::shared_ptr<DeviceMoment> asked = nullptr)
        : inner_(std::move(inner)), in_(std::move(in)), out_(std::move(out)), to_(to), asked_(std::move(asked)) {}
    bool test() override {
        if (!done_ && inner_->test()) finish();
        return done_;
    }
    void wait() override {
        if (done_) return;
        inner_->wait();
        finish();
    }

private:
    void finish() {
        done_ = true;
        if (!to_.empty()) out_.up(to_, asked_.get());
        asked_ = nullptr;
    }
    RequestPtr inner_;
    Passing in_;
    Passing out_;
    std::span<std::byte> to_;
    std::shared_ptr<DeviceMoment> asked_;
    bool done_ = false;
};

StagedCommunicator::StagedCommunicator(std::unique_ptr<Communicator> inner, Device& device)
    : inner_(std::move(inner)), device_(device), stages_(std::make_shared<Stages>(device)) {}
StagedCommunicator::~StagedCommunicator() = default;

StagedCommunicator::Passing StagedCommunicator::room(std::size_t bytes) { return {stages_, bytes}; }

StagedCommunicator::Passing StagedCommunicator::down(std::span<const std::byte> data) {
    Passing passing = room(data.size());
    if (!data.empty()) device_.download(data.data(), passing.bytes().data(), data.size());
    return passing;
}

std::unique_ptr<Communicator> StagedCommunicator::group(std::span<const int> members) {
    return std::make_unique<StagedCommunicator>(inner_->group(members), device_);
}

RequestPtr StagedCommunicator::isend(std::span<const std::byte> data, int peer, int tag) {
    Passing passing = down(data);
    RequestPtr inner = inner_->isend(passing.bytes(), peer, tag);
    return std::make_unique<Staged>(std::move(inner), std::move(passing), room(0), std::span<std::byte>{});
}

RequestPtr StagedCommunicator::ireceive(std::span<std::byte> data, int peer, int tag) {
    Passing passing = room(data.size());
    RequestPtr inner = inner_->ireceive(passing.bytes(), peer, tag);
    return std::make_unique<Staged>(std::move(inner), room(0), std::move(passing), data, device_.mark());
}

RequestPtr StagedCommunicator::iallReduce(ArraySpan data, ReduceOp op) {
    Passing passing = down(data.bytes());
    RequestPtr inner = inner_->iallReduce(passing.array(data.type()), op);
    return std::make_unique<Staged>(std::move(inner), room(0), std::move(passing), data.bytes());
}

RequestPtr StagedCommunicator::ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) {
    Passing in = down(input.bytes()), out = room(output.bytes().size());
    RequestPtr inner = inner_->ireduceScatter(in.array(input.type()), out.array(output.type()), op);
    return std::make_unique<Staged>(std::move(inner), std::move(in), std::move(out), output.bytes());
}

RequestPtr StagedCommunicator::iallGather(ConstArraySpan input, ArraySpan output) {
    Passing in = down(input.bytes()), out = room(output.bytes().size());
    RequestPtr inner = inner_->iallGather(in.array(input.type()), out.array(output.type()));
    return std::make_unique<Staged>(std::move(inner), std::move(in), std::move(out), output.bytes());
}

RequestPtr StagedCommunicator::iallToAllParts(ConstArraySpan input, ArraySpan output,
                                              std::span<const std::size_t> sizes) {
    Passing in = down(input.bytes()), out = room(output.bytes().size());
    RequestPtr inner = inner_->iallToAllParts(in.array(input.type()), out.array(output.type()), sizes);
    return std::make_unique<Staged>(std::move(inner), std::move(in), std::move(out), output.bytes());
}

RequestPtr StagedCommunicator::ireduceParts(ArraySpan block) {
    Passing passing = down(block.bytes());
    RequestPtr inner = inner_->ireduceParts(passing.array(block.type()));
    return std::make_unique<Staged>(std::move(inner), room(0), std::move(passing), block.bytes());
}

RequestPtr StagedCommunicator::igatherParts(ArraySpan block) {
    Passing passing = down(block.bytes());
    RequestPtr inner = inner_->igatherParts(passing.array(block.type()));
    return std::make_unique<Staged>(std::move(inner), room(0), std::move(passing), block.bytes());
}

RequestPtr StagedCommunicator::ireduceTo(ArraySpan block, int owner) {
    Passing passing = down(block.bytes());
    RequestPtr inner = inner_->ireduceTo(passing.array(block.type()), owner);
    const bool changed = rank() == owner;
    return std::make_unique<Staged>(std::move(inner), room(0), std::move(passing),
                                    changed ? block.bytes() : std::span<std::byte>{});
}

RequestPtr StagedCommunicator::ibroadcast(std::span<std::byte> data, int root) {
    Passing passing = rank() == root ? down(data) : room(data.size());
    RequestPtr inner = inner_->ibroadcast(passing.bytes(), root);
    return std::make_unique<Staged>(std::move(inner), room(0), std::move(passing), data);
}

}  // namespace shardlab::train
