// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/launch_batch.cuh"

#include "kernels/cuda/check.cuh"

#include <algorithm>

namespace shardlab::kernels::cuda {

namespace {

constexpr std::size_t lineBytes = 16;

std::size_t linesOf(std::size_t bytes) { return std::max<std::size_t>((bytes + lineBytes - 1) / lineBytes, 1); }

bool equal(const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

}  // namespace

LaunchBatch::Item& LaunchBatch::addItem(const KernelLaunch& launch, std::size_t bytes) {
    Item& item = items_.emplace_back();
    item.launch = launch;
    item.line = lines_.size();
    item.lines = linesOf(bytes);
    item.argument = argumentLines_.size();
    lines_.resize(lines_.size() + item.lines);  // zeros, so that bytes between arguments are equal
    return item;
}

void LaunchBatch::add(const KernelLaunch& launch, std::span<const KernelArgument> arguments) {
    std::size_t lines = 0;
    for (const KernelArgument& argument : arguments) lines += linesOf(argument.bytes);
    Item& item = addItem(launch, lines * lineBytes);
    item.arguments = arguments.size();
    std::size_t line = 0;
    for (const KernelArgument& argument : arguments) {
        argumentLines_.push_back(line);
        std::memcpy(lines_[item.line + line].bytes, argument.data, argument.bytes);
        line += linesOf(argument.bytes);
    }
    note(reinterpret_cast<std::uintptr_t>(launch.kernel));
    for (const unsigned size :
         {launch.blocks.x, launch.blocks.y, launch.blocks.z, launch.threads.x, launch.threads.y, launch.threads.z})
        note(size);
    note(launch.sharedBytes);
}

void LaunchBatch::clear() {
    items_.clear();
    lines_.clear();
    argumentLines_.clear();
    shape_ = 0;
}

void** LaunchBatch::pointersOf(const Item& item) const {
    pointers_.clear();
    for (std::size_t i = 0; i < item.arguments; ++i)
        pointers_.push_back(const_cast<std::byte*>(lines_[item.line + argumentLines_[item.argument + i]].bytes));
    return pointers_.data();
}

void LaunchBatch::launch(std::size_t i, cudaStream_t stream) const {
    const Item& item = items_[i];
    if (item.call) return item.call->run(dataOf(item), stream);
    const KernelLaunch& launch = item.launch;
    check(cudaLaunchKernel(launch.kernel, launch.blocks, launch.threads, pointersOf(item), launch.sharedBytes, stream),
          launch.name);
}

cudaKernelNodeParams LaunchBatch::parameters(std::size_t i) const {
    const Item& item = items_[i];
    cudaKernelNodeParams parameters{};
    parameters.func = const_cast<void*>(item.launch.kernel);
    parameters.gridDim = item.launch.blocks;
    parameters.blockDim = item.launch.threads;
    parameters.sharedMemBytes = static_cast<unsigned>(item.launch.sharedBytes);
    parameters.kernelParams = pointersOf(item);
    return parameters;
}

bool LaunchBatch::alike(const LaunchBatch& other) const {
    return std::ranges::equal(items_, other.items_, [](const Item& a, const Item& b) {
        return a.call == b.call && a.launch.kernel == b.launch.kernel && equal(a.launch.blocks, b.launch.blocks) &&
               equal(a.launch.threads, b.launch.threads) && a.launch.sharedBytes == b.launch.sharedBytes &&
               a.lines == b.lines && a.arguments == b.arguments;
    });
}

bool LaunchBatch::sameAt(std::size_t i, const LaunchBatch& other) const {
    const Item& a = items_[i];
    const Item& b = other.items_[i];
    if (a.call) return a.call->equal(dataOf(a), other.dataOf(b));
    return std::memcmp(dataOf(a), other.dataOf(b), a.lines * lineBytes) == 0;
}

}  // namespace shardlab::kernels::cuda
