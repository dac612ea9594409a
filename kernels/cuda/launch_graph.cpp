// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/launch_graph.cuh"

#include "kernels/cuda/capture_lock.cuh"
#include "kernels/cuda/check.cuh"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace shardlab::kernels::cuda {

namespace {

/// The node that was captured last. Throws where that is not one node.
cudaGraphNode_t lastNode(cudaStream_t stream) {
    cudaStreamCaptureStatus status{};
    unsigned long long id = 0;
    cudaGraph_t graph = nullptr;
    const cudaGraphNode_t* nodes = nullptr;
    std::size_t count = 0;
#if CUDART_VERSION >= 13000
    const cudaGraphEdgeData* edges = nullptr;
    check(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, &nodes, &edges, &count), "cudaStreamGetCaptureInfo");
#else
    check(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count), "cudaStreamGetCaptureInfo");
#endif
    if (status != cudaStreamCaptureStatusActive || count != 1)
        throw std::runtime_error("CUDA: a kernel was not captured as one node");
    return nodes[0];
}

}  // namespace

LaunchGraph::LaunchGraph(const LaunchBatch& batch, cudaStream_t capture) : batch_(batch) {
    take(this->capture(capture));
}

LaunchGraph::~LaunchGraph() {
    if (executable_) cudaGraphExecDestroy(executable_);
    if (graph_) cudaGraphDestroy(graph_);
}

LaunchGraph::Captured LaunchGraph::capture(cudaStream_t stream) {
    ++captures_;
    Captured captured;
    const auto alone = captureLock();
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    try {
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            batch_.launch(i, stream);
            captured.nodes.push_back(batch_.isKernel(i) ? lastNode(stream) : nullptr);
        }
    } catch (...) {
        if (cudaStreamEndCapture(stream, &captured.graph) == cudaSuccess && captured.graph)
            cudaGraphDestroy(captured.graph);
        cudaGetLastError();  // clears later errors: the first one counts
        throw;
    }
    check(cudaStreamEndCapture(stream, &captured.graph), "cudaStreamEndCapture");
    return captured;
}

void LaunchGraph::take(Captured captured) {
    cudaGraphExec_t executable = nullptr;
    const cudaError_t status = cudaGraphInstantiate(&executable, captured.graph, 0);
    if (status != cudaSuccess) cudaGraphDestroy(captured.graph);
    check(status, "cudaGraphInstantiate");
    if (executable_) cudaGraphExecDestroy(executable_);
    if (graph_) cudaGraphDestroy(graph_);
    executable_ = executable;
    graph_ = captured.graph;
    nodes_ = std::move(captured.nodes);
}

void LaunchGraph::set(const LaunchBatch& batch, cudaStream_t capture) {
    differ_.clear();
    for (std::size_t i = 0; i < batch.size(); ++i)
        if (!batch.sameAt(i, batch_)) differ_.push_back(i);
    if (differ_.empty()) return;
    batch_ = batch;
    if (std::ranges::all_of(differ_, [&](std::size_t i) { return nodes_[i] != nullptr; })) {
        for (const std::size_t i : differ_) {
            const cudaKernelNodeParams parameters = batch_.parameters(i);
            check(cudaGraphExecKernelNodeSetParams(executable_, nodes_[i], &parameters),
                  "cudaGraphExecKernelNodeSetParams");
            ++kernelsSet_;
        }
        return;
    }
    // An executable that takes over the new graph's arguments still knows kernels by the nodes that it was made of.
    Captured captured = this->capture(capture);
    cudaGraphExecUpdateResultInfo result{};
    if (cudaGraphExecUpdate(executable_, captured.graph, &result) == cudaSuccess) {
        cudaGraphDestroy(captured.graph);
    } else {
        cudaGetLastError();  // clears the error, which is handled here
        take(std::move(captured));
    }
}

void LaunchGraph::launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

}  // namespace shardlab::kernels::cuda
