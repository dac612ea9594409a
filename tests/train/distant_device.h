// SPDX-License-Identifier: Apache-2.0
// A device whose memory the processor cannot reach, on any machine: a processor's kernels behind addresses that do not
// exist. Code that reads or writes a device's memory by itself crashes.
#pragma once

#include "kernels/forwarding_device.h"
#include "tests/support/wings.h"

#include <bit>
#include <cstring>
#include <type_traits>
#include <vector>

namespace shardlab::test {

class DistantDevice : public ForwardingDevice<DistantDevice> {
public:
    std::string name() const override { return "distant"; }

    void* allocate(std::size_t bytes) override { return far(inner_->allocate(bytes)); }
    void release(void* data) override { inner_->release(near(data)); }
    bool onHost() const override { return false; }
    void upload(const void* host, void* data, std::size_t bytes) override { std::memcpy(near(data), host, bytes); }
    void download(const void* data, void* host, std::size_t bytes) override { std::memcpy(host, near(data), bytes); }
    void copy(const void* from, void* to, std::size_t bytes) override { inner_->copy(near(from), near(to), bytes); }
    void clear(void* data, std::size_t bytes) override { inner_->clear(near(data), bytes); }
    void synchronize() override { inner_->synchronize(); }
    void* allocateStaging(std::size_t bytes) override { return inner_->allocate(bytes); }
    void releaseStaging(void* data) override { inner_->release(data); }

    /// As on a GPU, the gradient needs a place of its own.
    AttentionNeeds attentionNeeds(const AttentionShape& shape, DType type, bool drops) const override {
        AttentionNeeds needs = inner_->attentionNeeds(shape, type, drops);
        needs.inPlace = false;
        return needs;
    }
    void attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray output,
                       ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                       const HeadSinks& sinks, float* scratch) override {
        const std::size_t values = std::size_t(shape.samples) * shape.sequence * 3 * shape.heads * shape.width;
        std::memcpy(near(qkvGradient).data, near(qkv).data, values * sizeOf(qkv.type));
        ForwardingDevice::attentionGrad(shape, qkvGradient, kept, output, outputGradient, qkvGradient, dropout, sinks,
                                        scratch);
    }

private:
    friend class ForwardingDevice<DistantDevice>;
    static constexpr std::uintptr_t nowhere = std::uintptr_t{1} << 62;  ///< no processor maps such an address

    Device& inner() const { return *inner_; }
    template <auto operation, class... Arguments>
    OperationResult<operation> forward(const auto&, Arguments&... arguments) {
        return ((*inner_).*operation)(near(arguments)...);
    }

    template <class T>
    static T* far(T* data) {
        return data ? std::bit_cast<T*>(std::bit_cast<std::uintptr_t>(data) ^ nowhere) : nullptr;
    }
    /// The processor's side of an argument: addresses of the device's memory are translated, also those that a struct
    /// or a span of structs holds.
    template <class T>
    static decltype(auto) near(T& argument) {
        if constexpr (requires(std::remove_const_t<T> holder) { holder.memory(); }) return reached(argument);
        else return (argument);
    }
    template <class T>
    static T* near(T* data) {
        return far(data);
    }
    static double* near(double* loss) { return loss; }  // lies on the host
    static Array near(Array array) { return {near(array.data), array.type}; }
    static ConstArray near(ConstArray array) { return {near(array.data), array.type}; }
    template <class Part>
    static std::vector<Part> near(std::span<const Part> parts) {
        std::vector<Part> all;
        for (const Part& part : parts) all.push_back(reached(part));
        return all;
    }
    template <class T>
    static T reached(T holder) {
        std::apply([](auto&... places) { ((places = near(places)), ...); }, holder.memory());
        return holder;
    }

    std::unique_ptr<Device> inner_ = makeCpuDevice();
};

}  // namespace shardlab::test
