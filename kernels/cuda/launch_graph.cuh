// SPDX-License-Identifier: Apache-2.0
// A batch of launches as a CUDA graph: handed to the GPU at once, and again with other arguments.
#pragma once

#include "kernels/cuda/launch_batch.cuh"

#include <cstdint>
#include <vector>

namespace shardlab::cuda {

/// One after another, as a stream would do it. std::runtime_error in CUDA's words; nothing was launched then.
class LaunchGraph {
public:
    /// `capture`: a stream for this alone, in which nothing is under way.
    LaunchGraph(const LaunchBatch& batch, cudaStream_t capture);
    ~LaunchGraph();
    LaunchGraph(const LaunchGraph&) = delete;
    LaunchGraph& operator=(const LaunchGraph&) = delete;

    const LaunchBatch& batch() const { return batch_; }
    /// What is launched from now on; the two are alike. Kernels whose arguments differ are set one by one; where a call
    /// differs, all is captured anew.
    void set(const LaunchBatch& batch, cudaStream_t capture);
    void launch(cudaStream_t stream) const;

    /// How many kernels were set one by one, and how often all was captured.
    std::uint64_t kernelsSet() const { return kernelsSet_; }
    std::uint64_t captures() const { return captures_; }

private:
    struct Captured {
        cudaGraph_t graph = nullptr;
        std::vector<cudaGraphNode_t> nodes;  ///< of kernels; null for a call
    };
    Captured capture(cudaStream_t stream);
    /// From now on made of it; the one before is given up.
    void take(Captured captured);

    LaunchBatch batch_;
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
    std::vector<cudaGraphNode_t> nodes_;
    std::vector<std::size_t> differ_;  ///< of set(), which allocates nothing in a steady step
    std::uint64_t kernelsSet_ = 0;
    std::uint64_t captures_ = 0;
};

}  // namespace shardlab::cuda
