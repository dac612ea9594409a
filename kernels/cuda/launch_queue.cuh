// SPDX-License-Identifier: Apache-2.0
// A stream as the ops see it: everything is done in the order it was asked for. What comes again and again under a name
// goes to the GPU as one CUDA graph.
#pragma once

#include "kernels/cuda/launch_graph.cuh"

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>

namespace shardlab::cuda {

/// From any thread. Between begin and end, what the thread asks for is gathered; it goes to the GPU at the end, or when
/// somebody needs the stream. The first time it is launched kernel by kernel, from the second on as a graph: of it only
/// those kernels are set anew whose arguments differ. Where CUDA refuses graphs, kernel by kernel from then on.
class LaunchQueue {
public:
    /// Of the calling thread's GPU. Without `graphs` nothing is gathered.
    explicit LaunchQueue(bool graphs = true);
    ~LaunchQueue();
    LaunchQueue(const LaunchQueue&) = delete;
    LaunchQueue& operator=(const LaunchQueue&) = delete;

    /// What was asked for so far has gone to it.
    cudaStream_t stream();
    /// Drops what is gathered and waits for what is under way. Never throws: a GPU that has failed has said so before.
    void abandon();

    void begin(const char* name);
    void end();

    void launch(const KernelLaunch& launch, std::span<const KernelArgument> arguments);
    template <StreamCall Call>
    void call(const Call& call) {
        const std::lock_guard held(mutex_);
        makeRoom();
        batch_.add(call);
        if (!gathers()) submit();
    }

    struct Counts {
        std::uint64_t graphs = 0;  ///< made
        std::uint64_t graphLaunches = 0;
        std::uint64_t kernelsSet = 0;  ///< of graphs, for another launch
        std::uint64_t captures = 0;
        std::uint64_t launches = 0;  ///< kernels and calls that went by themselves
    };
    Counts counts();

private:
    /// What has been seen of a batch under a name.
    struct Seen {
        std::unique_ptr<LaunchGraph> graph;  ///< from the second time on
        std::uint64_t launches = 0;          ///< of the graph
        bool unsteady = false;               ///< captured anew too often to be worth it
    };

    bool gathers() const { return depth_ > 0 && owner_ == std::this_thread::get_id(); }
    /// What another thread asks for does not get into what is gathered.
    void makeRoom() {
        if (!gathers()) submit();
    }
    /// Lets blocks of the kernel have more shared memory than they do unasked.
    void allowShared(const KernelLaunch& launch);
    void submit();
    /// False where the batch is to be launched kernel by kernel.
    bool submitAsGraph();
    void forget(Seen& seen);

    std::mutex mutex_;
    bool graphs_;
    cudaStream_t stream_ = nullptr;
    cudaStream_t capture_ = nullptr;
    LaunchBatch batch_;
    std::unordered_set<const void*> allowed_;  ///< kernels, much shared memory
    int depth_ = 0;
    std::thread::id owner_;
    std::uint64_t name_ = 0;  ///< hash of it and of how many batches were submitted since begin
    std::unordered_map<std::uint64_t, Seen> seen_;
    Counts counts_;  ///< of graphs that were given up
};

}  // namespace shardlab::cuda
