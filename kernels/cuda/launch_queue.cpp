// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/launch_queue.cuh"

#include "kernels/cuda/check.cuh"

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace shardlab::kernels::cuda {

namespace {

constexpr std::size_t fewest = 3;        ///< launches for which a graph is made
constexpr std::size_t mostKinds = 4096;  ///< kinds of batches that are known; beyond them old ones are forgotten
constexpr std::uint64_t trialLaunches = 8;
constexpr std::uint64_t cutName = 0;  ///< of a range that another thread has cut
/// Bytes; the limit is 48 KiB, which the kernel's own variables share.
constexpr std::size_t unaskedShared = 40 * 1024;

/// A batch is submitted once, whatever happens.
struct Emptied {
    LaunchBatch& batch;
    ~Emptied() { batch.clear(); }
};

}  // namespace

LaunchQueue::LaunchQueue(bool graphs) : graphs_(graphs) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
    if (graphs_) check(cudaStreamCreateWithFlags(&capture_, cudaStreamNonBlocking), "cudaStreamCreate");
}

LaunchQueue::~LaunchQueue() {
    abandon();
    seen_.clear();
    if (capture_) cudaStreamDestroy(capture_);
    cudaStreamDestroy(stream_);
}

cudaStream_t LaunchQueue::stream() {
    const std::lock_guard held(mutex_);
    submit();
    return stream_;
}

void LaunchQueue::abandon() {
    const std::lock_guard held(mutex_);
    batch_.clear();
    cudaStreamSynchronize(stream_);
}

void LaunchQueue::begin(const char* name) {
    const std::lock_guard held(mutex_);
    if (!graphs_ || depth_++ > 0) return;
    submit();
    owner_ = std::this_thread::get_id();
    name_ = std::hash<std::string_view>{}(name);
}

void LaunchQueue::end() {
    const std::lock_guard held(mutex_);
    if (depth_ == 0 || --depth_ > 0) return;
    submit();
}

void LaunchQueue::launch(const KernelLaunch& launch, std::span<const KernelArgument> arguments) {
    const std::lock_guard held(mutex_);
    makeRoom();
    if (launch.sharedBytes > unaskedShared) allowShared(launch);
    batch_.add(launch, arguments);
    if (!gathers()) submit();
}

/// Allows once as much as the GPU has, so that no later call takes back what an earlier launch needs.
void LaunchQueue::allowShared(const KernelLaunch& launch) {
    if (!allowed_.insert(launch.kernel).second) return;
    int gpu = 0, most = 0;
    cudaFuncAttributes own{};
    check(cudaGetDevice(&gpu), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu), "cudaDeviceGetAttribute");
    check(cudaFuncGetAttributes(&own, launch.kernel), launch.name);
    check(cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               most - static_cast<int>(own.sharedSizeBytes)),
          launch.name);
}

void LaunchQueue::submit() {
    if (batch_.empty()) return;
    const Emptied emptied{batch_};
    // Where another thread cuts a range depends on the moment: no batch of that range is likely to come again, and each
    // would be kept as a graph.
    if (depth_ > 0 && owner_ != std::this_thread::get_id()) name_ = cutName;
    if (name_ != cutName) {
        ++name_;
        if (submitAsGraph()) return;
    }
    counts_.launches += batch_.size();
    for (std::size_t i = 0; i < batch_.size(); ++i) batch_.launch(i, stream_);
}

bool LaunchQueue::submitAsGraph() {
    if (!graphs_ || batch_.size() < fewest) return false;
    ++batches_;
    if (seen_.size() >= mostKinds) forgetOld();
    const auto [found, first] = seen_.try_emplace(name_ ^ batch_.shape());
    Seen& seen = found->second;
    seen.last = batches_;
    if (first || seen.unsteady) return false;
    try {
        if (!seen.graph) {
            seen.graph = std::make_unique<LaunchGraph>(batch_, capture_);
            ++counts_.graphs;
        } else if (seen.graph->batch().alike(batch_)) {
            seen.graph->set(batch_, capture_);
        } else {
            return false;
        }
        seen.graph->launch(stream_);
    } catch (const std::runtime_error& error) {
        cudaGetLastError();  // clears the error, which is handled here
        std::fprintf(stderr, "shardlab: without CUDA graphs from now on: %s\n", error.what());
        graphs_ = false;
        return false;
    }
    ++seen.launches;
    ++counts_.graphLaunches;
    if (seen.launches > trialLaunches && 2 * seen.graph->captures() > seen.launches) {
        seen.unsteady = true;
        seen.addTo(counts_);
        seen.graph.reset();
    }
    return true;
}

/// Leaves at most half of the kinds: those of the last batches. What recurs in every step stays a graph, however many
/// others come once, as experts' batches do, whose sizes are those of their routes.
void LaunchQueue::forgetOld() {
    std::erase_if(seen_, [this](const auto& each) {
        if (each.second.last + mostKinds / 2 > batches_) return false;
        each.second.addTo(counts_);
        return true;
    });
}

void LaunchQueue::Seen::addTo(Counts& counts) const {
    if (!graph) return;
    counts.kernelsSet += graph->kernelsSet();
    counts.captures += graph->captures();
}

LaunchQueue::Counts LaunchQueue::counts() {
    const std::lock_guard held(mutex_);
    Counts counts = counts_;
    for (const auto& [key, seen] : seen_) seen.addTo(counts);
    return counts;
}

}  // namespace shardlab::kernels::cuda
