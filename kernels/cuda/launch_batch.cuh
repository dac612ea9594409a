// SPDX-License-Identifier: Apache-2.0
// Work for a stream, kept until it is submitted: kernels with their arguments, and calls of libraries.
#pragma once

#include <cuda_runtime.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace shardlab::kernels::cuda {

struct KernelLaunch {
    const char* name = nullptr;  ///< stands in the error
    const void* kernel = nullptr;
    dim3 blocks;
    dim3 threads;
    std::size_t sharedBytes = 0;
};

/// A value that is passed to a kernel; aligned to 16 bytes at most.
struct KernelArgument {
    const void* data = nullptr;
    std::size_t bytes = 0;
};

/// A call that asks a stream for something that is not one of these kernels. Equal calls ask for the same.
template <class Call>
concept StreamCall = std::equality_comparable<Call> && std::is_trivially_copyable_v<Call> && alignof(Call) <= 16 &&
                     requires(const Call& call, cudaStream_t stream) {
    call(stream);
};

class LaunchBatch {
public:
    /// Adds a kernel; copies its arguments.
    void add(const KernelLaunch& launch, std::span<const KernelArgument> arguments);
    template <StreamCall Call>
    void add(const Call& call) {
        Item& item = addItem({}, sizeof call);
        item.call = &kindOf<Call>;
        note(reinterpret_cast<std::uintptr_t>(item.call));
        std::memcpy(dataOf(item), &call, sizeof call);
    }
    void clear();

    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    bool isKernel(std::size_t i) const { return items_[i].call == nullptr; }
    /// Submits the i-th item to the stream. Throws std::runtime_error in CUDA's words.
    void launch(std::size_t i, cudaStream_t stream) const;
    /// The parameters of a kernel; valid until the next call.
    cudaKernelNodeParams parameters(std::size_t i) const;

    /// A number that is the same for batches that are alike, and seldom for others.
    std::uint64_t shape() const { return shape_; }
    /// Whether both batches have the same kernels and calls in as many blocks, whatever their arguments.
    bool alike(const LaunchBatch& other) const;
    /// Whether the i-th items of two batches that are alike have the same arguments.
    bool sameAt(std::size_t i, const LaunchBatch& other) const;

private:
    struct alignas(16) Line {
        std::byte bytes[16];
    };
    struct CallKind {
        void (*run)(const void* call, cudaStream_t stream);
        bool (*equal)(const void* one, const void* other);
    };
    template <class Call>
    static constexpr CallKind kindOf{
        [](const void* call, cudaStream_t stream) { (*static_cast<const Call*>(call))(stream); },
        [](const void* one, const void* other) {
            return *static_cast<const Call*>(one) == *static_cast<const Call*>(other);
        }};
    struct Item {
        KernelLaunch launch;
        const CallKind* call = nullptr;  ///< null for a kernel
        std::size_t line = 0;            ///< where its arguments, or the call, begin in lines_
        std::size_t lines = 0;
        std::size_t argument = 0;  ///< where it begins in argumentLines_
        std::size_t arguments = 0;
    };

    Item& addItem(const KernelLaunch& launch, std::size_t bytes);
    void note(std::uint64_t number) {
        shape_ = (shape_ ^ number) * 0x9E3779B97F4A7C15u;
        shape_ ^= shape_ >> 29;
    }
    std::byte* dataOf(const Item& item) { return lines_[item.line].bytes; }
    const std::byte* dataOf(const Item& item) const { return lines_[item.line].bytes; }
    void** pointersOf(const Item& item) const;

    std::vector<Item> items_;
    std::vector<Line> lines_;
    std::vector<std::size_t> argumentLines_;  ///< of each argument, from its item's first
    mutable std::vector<void*> pointers_;
    std::uint64_t shape_ = 0;
};

}  // namespace shardlab::kernels::cuda
