// SPDX-License-Identifier: Apache-2.0
// A communicator of devices as one of the processor's memory, so that the tests of all communicators can judge it: what
// it is given goes up to the device, and what comes goes down.
#pragma once

#include "engine/train/comm/communicator.h"
#include "kernels/device.h"
#include "tests/support/wings.h"

#include <memory>
#include <utility>
#include <vector>

namespace shardlab::test {

class OnDevice final : public Communicator {
public:
    /// `connected`: all pairs of members, else none.
    OnDevice(std::unique_ptr<Communicator> inner, Device& device, bool connected)
        : inner_(std::move(inner)), device_(device), connected_(connected) {
        if (!connected) return;
        std::vector<std::pair<int, int>> links;
        for (int from = 0; from < inner_->size(); ++from)
            for (int to = 0; to < inner_->size(); ++to) links.emplace_back(from, to);
        inner_->connect(links);
    }

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }
    std::unique_ptr<Communicator> group(std::span<const int> members) override {
        return std::make_unique<OnDevice>(inner_->group(members), device_, connected_);
    }
    RequestPtr isend(std::span<const std::byte> data, int peer, int tag) override {
        Copy copy = up(data);
        RequestPtr request = inner_->isend(copy.bytes(), peer, tag);
        return going(std::move(request), std::move(copy), {});
    }
    RequestPtr ireceive(std::span<std::byte> data, int peer, int tag) override {
        Copy copy = up(data);
        RequestPtr request = inner_->ireceive(copy.bytes(), peer, tag);
        return going(std::move(request), std::move(copy), data);
    }
    RequestPtr iallReduce(ArraySpan data, ReduceOp op) override {
        return inPlace(data, [&](ArraySpan array) { return inner_->iallReduce(array, op); });
    }
    RequestPtr ireduceScatter(ConstArraySpan input, ArraySpan output, ReduceOp op) override {
        return apart(input, output, [&](auto in, auto out) { return inner_->ireduceScatter(in, out, op); });
    }
    RequestPtr iallGather(ConstArraySpan input, ArraySpan output) override {
        return apart(input, output, [&](auto in, auto out) { return inner_->iallGather(in, out); });
    }
    RequestPtr iallToAllParts(ConstArraySpan input, ArraySpan output, std::span<const std::size_t> sizes) override {
        return apart(input, output, [&](auto in, auto out) { return inner_->iallToAllParts(in, out, sizes); });
    }
    RequestPtr ireduceParts(ArraySpan block) override {
        return inPlace(block, [&](ArraySpan array) { return inner_->ireduceParts(array); });
    }
    RequestPtr igatherParts(ArraySpan block) override {
        return inPlace(block, [&](ArraySpan array) { return inner_->igatherParts(array); });
    }
    RequestPtr ireduceTo(ArraySpan block, int owner) override {
        return inPlace(block, [&](ArraySpan array) { return inner_->ireduceTo(array, owner); });
    }
    RequestPtr ibroadcast(std::span<std::byte> data, int root) override {
        Copy copy = up(data);
        RequestPtr request = inner_->ibroadcast(copy.bytes(), root);
        return going(std::move(request), std::move(copy), data);
    }
    void barrier() override { inner_->barrier(); }

private:
    /// Memory of the device.
    class Copy {
    public:
        Copy(Device& device, std::size_t bytes) : device_(&device), data_(device.allocate(bytes)), bytes_(bytes) {}
        Copy(Copy&& other) noexcept
            : device_(other.device_), data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}
        Copy& operator=(Copy&&) = delete;
        ~Copy() {
            if (data_) device_->release(data_);
        }
        std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }
        ArraySpan array(DType type) const { return {Array(data_, type), bytes_ / sizeOf(type)}; }

    private:
        Device* device_;
        void* data_;
        std::size_t bytes_;
    };

    class Going final : public Request {
    public:
        Going(Device& device, RequestPtr request, std::vector<Copy> copies, std::span<std::byte> down)
            : device_(device), request_(std::move(request)), copies_(std::move(copies)), down_(down) {}
        bool test() override {
            if (!over_ && request_->test()) finish();
            return over_;
        }
        void wait() override {
            if (over_) return;
            request_->wait();
            finish();
        }

    private:
        void finish() {
            over_ = true;
            if (!down_.empty()) device_.download(copies_.back().bytes().data(), down_.data(), down_.size());
        }
        Device& device_;
        RequestPtr request_;
        std::vector<Copy> copies_;
        std::span<std::byte> down_;
        bool over_ = false;
    };

    Copy up(std::span<const std::byte> data) {
        Copy copy(device_, data.size());
        if (!data.empty()) device_.upload(data.data(), copy.bytes().data(), data.size());
        return copy;
    }
    RequestPtr going(RequestPtr request, Copy copy, std::span<std::byte> down) {
        std::vector<Copy> copies;
        copies.push_back(std::move(copy));
        return std::make_unique<Going>(device_, std::move(request), std::move(copies), down);
    }
    template <class Start>
    RequestPtr inPlace(ArraySpan data, Start start) {
        Copy copy = up(data.bytes());
        RequestPtr request = start(copy.array(data.type()));
        return going(std::move(request), std::move(copy), data.bytes());
    }
    template <class Start>
    RequestPtr apart(ConstArraySpan input, ArraySpan output, Start start) {
        std::vector<Copy> copies;
        copies.push_back(up(input.bytes()));
        copies.push_back(up(output.bytes()));
        RequestPtr request = start(copies[0].array(input.type()), copies[1].array(output.type()));
        return std::make_unique<Going>(device_, std::move(request), std::move(copies), output.bytes());
    }

    std::unique_ptr<Communicator> inner_;
    Device& device_;
    bool connected_;
};

}  // namespace shardlab::test
