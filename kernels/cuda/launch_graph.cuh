// SPDX-License-Identifier: Apache-2.0
// A batch of launches as a CUDA graph, which goes to the GPU at once, and again with other arguments.
#pragma once

#include "kernels/cuda/launch_batch.cuh"

#include <cstdint>
#include <vector>

namespace shardlab::kernels::cuda {

/// The graph runs its launches one after another, as a stream would. Throws std::runtime_error in CUDA's words; nothing
/// was launched then.
class LaunchGraph {
public:
    /// `capture` is a stream for this purpose alone, in which nothing is under way.
    LaunchGraph(const LaunchBatch& batch, cudaStream_t capture);
    ~LaunchGraph();
    LaunchGraph(const LaunchGraph&) = delete;
    LaunchGraph& operator=(const LaunchGraph&) = delete;

    const LaunchBatch& batch() const { return batch_; }
    /// Launches `batch` from now on, which is alike. Kernels whose arguments differ are set one by one; where a call
    /// differs, the whole batch is captured again.
    void set(const LaunchBatch& batch, cudaStream_t capture);
    void launch(cudaStream_t stream) const;

    /// How many kernels were set one by one, and how often the whole batch was captured.
    std::uint64_t kernelsSet() const { return kernelsSet_; }
    std::uint64_t captures() const { return captures_; }

private:
    struct Captured {
        cudaGraph_t graph = nullptr;
        std::vector<cudaGraphNode_t> nodes;  ///< nodes of kernels; null for a call
    };
    Captured capture(cudaStream_t stream);
    /// Uses what was captured from now on, and gives up the graph before.
    void take(Captured captured);

    LaunchBatch batch_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
    std::vector<cudaGraphNode_t> nodes_;
    std::vector<std::size_t> differ_;  ///< kept for set(), which allocates nothing in a steady step
    std::uint64_t kernelsSet_ = 0;
    std::uint64_t captures_ = 0;
};

}  // namespace shardlab::kernels::cuda
