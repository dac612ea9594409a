// SPDX-License-Identifier: Apache-2.0
// A stream as operations see it: launches run in the order in which they are made. A batch that recurs under a name
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

namespace shardlab::kernels::cuda {

/// Any thread may use the queue. Launches that a thread makes between begin and end are gathered, and go to the GPU at
/// the end, or when a caller needs the stream. The first time they are launched kernel by kernel, from the second time
/// on as a graph, in which only kernels with other arguments are set again. Where CUDA refuses graphs, the queue
/// launches kernel by kernel from then on.
class LaunchQueue {
public:
    /// A queue for the calling thread's GPU. Without `graphs` nothing is gathered.
    explicit LaunchQueue(bool graphs = true);
    ~LaunchQueue();
    LaunchQueue(const LaunchQueue&) = delete;
    LaunchQueue& operator=(const LaunchQueue&) = delete;

    /// The stream, to which all launches made so far have gone.
    cudaStream_t stream();
    /// Drops gathered launches and waits for those under way. Never throws: a GPU that has failed has said so before.
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
        std::uint64_t graphs = 0;  ///< graphs that were made
        std::uint64_t graphLaunches = 0;
        std::uint64_t kernelsSet = 0;  ///< kernels of graphs that were set for another launch
        std::uint64_t captures = 0;
        std::uint64_t launches = 0;  ///< kernels and calls that went to the GPU by themselves
    };
    Counts counts();

private:
    /// What the queue knows of a batch under a name.
    struct Seen {
        std::unique_ptr<LaunchGraph> graph;  ///< made the second time
        std::uint64_t launches = 0;          ///< of the graph
        bool unsteady = false;               ///< captured again too often to be worth a graph
        std::uint64_t last = 0;              ///< number of the batch that was the last of this kind
        void addTo(Counts& counts) const;    ///< adds what its graph has counted
    };

    bool gathers() const { return depth_ > 0 && owner_ == std::this_thread::get_id(); }
    /// Keeps launches of another thread out of the gathered batch.
    void makeRoom() {
        if (!gathers()) submit();
    }
    /// Lets blocks of the kernel have more shared memory than the default.
    void allowShared(const KernelLaunch& launch);
    void submit();
    /// False where the batch has to be launched kernel by kernel.
    bool submitAsGraph();
    void forgetOld();

    std::mutex mutex_;
    bool graphs_;
    cudaStream_t stream_ = nullptr;
    cudaStream_t capture_ = nullptr;
    LaunchBatch batch_;
    std::unordered_set<const void*> allowed_;  ///< kernels that may use much shared memory
    int depth_ = 0;
    std::thread::id owner_;
    std::uint64_t name_ = 0;  ///< hash of the name and of how many batches were submitted since begin
    std::unordered_map<std::uint64_t, Seen> seen_;
    std::uint64_t batches_ = 0;  ///< that might have been graphs
    Counts counts_;              ///< counts of graphs that were given up
};

}  // namespace shardlab::kernels::cuda
