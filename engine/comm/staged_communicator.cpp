// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/staged_communicator.h"

#include <utility>

namespace shardlab {

/// Memory of the host that was used before, by size.
struct StagedCommunicator::Stages {
    explicit Stages(Device& of) : device(of) {}
    ~Stages() {
        for (void* each : all) device.releaseStaging(each);
    }
    Stages(const Stages&) = delete;
    Stages& operator=(const Stages&) = delete;

    Device& device;
    std::vector<void*> all;
    std::map<std::size_t, std::vector<void*>> free;
};

/// Memory of the host that data pass through.
class StagedCommunicator::Passing {
public:
    Passing(std::shared_ptr<Stages> stages, std::size_t bytes) : stages_(std::move(stages)), bytes_(bytes) {
        if (bytes == 0) return;
        std::vector<void*>& kept = stages_->free[bytes];
        if (kept.empty()) {
            data_ = stages_->device.allocateStaging(bytes);
            stages_->all.push_back(data_);
        } else {
            data_ = kept.back();
            kept.pop_back();
        }
    }
    Passing(Passing&& other) noexcept
        : stages_(std::move(other.stages_)), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
    Passing& operator=(Passing&&) = delete;
    ~Passing() {
        if (data_) stages_->free[bytes_].push_back(data_);
    }

    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }
    ArraySpan array(DType type) const { return {Array(data_, type), bytes_ / sizeOf(type)}; }
    void up(std::span<std::byte> to) const {
        if (bytes_ > 0) stages_->device.upload(data_, to.data(), bytes_);
    }

private:
    std::shared_ptr<Stages> stages_;
    void* data_ = nullptr;
    std::size_t bytes_;
};

/// The inner operation, and the way up once it is done.
class StagedCommunicator::Staged final : public Request {
public:
    Staged(RequestPtr inner, Passing in, Passing out, std::span<std::byte> to)
        : inner_(std::move(inner)), in_(std::move(in)), out_(std::move(out)), to_(to) {}
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
        if (!to_.empty()) out_.up(to_);
    }
    RequestPtr inner_;
    Passing in_;
    Passing out_;
    std::span<std::byte> to_;
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
    return std::make_unique<Staged>(std::move(inner), room(0), std::move(passing), data);
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

RequestPtr StagedCommunicator::iallToAll(ConstArraySpan input, ArraySpan output) {
    Passing in = down(input.bytes()), out = room(output.bytes().size());
    RequestPtr inner = inner_->iallToAll(in.array(input.type()), out.array(output.type()));
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

}  // namespace shardlab
