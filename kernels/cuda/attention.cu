// SPDX-License-Identifier: Apache-2.0
#include "kernels/attention.h"

#include "kernels/cuda/attention_launch.cuh"
#include "kernels/cuda/cuda_device.cuh"

#include <cmath>

namespace shardlab::kernels::cuda {

namespace {

AttentionArguments argumentsOf(const AttentionShape& shape, ConstArray qkv, Array kept,
                               const AttentionDropout& dropout) {
    if (shape.width > widestHead)
        throw std::runtime_error("CUDA: attention heads are " + std::to_string(shape.width) +
                                 " wide; kernels are made for up to " + std::to_string(widestHead));
    AttentionArguments a;
    a.sequence = shape.sequence;
    a.heads = shape.heads;
    a.width = shape.width;
    a.samples = shape.samples;
    if (shape.window > 0) a.window = shape.window;
    a.rule = shape.rule;
    a.scale = 1 / std::sqrt(static_cast<float>(shape.width));
    a.dropout = dropout;
    a.qkv = qkv.data;
    a.logSums = kept.floats();
    return a;
}

std::size_t rowsOf(const AttentionShape& shape) {
    return static_cast<std::size_t>(shape.samples) * static_cast<std::size_t>(shape.heads) *
           static_cast<std::size_t>(shape.sequence);
}

}  // namespace

AttentionNeeds CudaDevice::attentionNeeds(const AttentionShape& shape, DType, bool) const {
    return {.kept = rowsOf(shape), .keepsProbabilities = false, .backwardScratch = rowsOf(shape), .inPlace = false};
}

void CudaDevice::attention(const AttentionShape& shape, ConstArray qkv, Array kept, Array output,
                           const AttentionDropout& dropout, const HeadSinks& sinks, float*) {
    AttentionArguments a = argumentsOf(shape, qkv, kept, dropout);
    a.output = output.data;
    if (sinks) a.sinks = sinkScores(shape.heads, sinks);
    launchAttention(a, qkv.type, *queue_);
}

void CudaDevice::attentionGrad(const AttentionShape& shape, ConstArray qkv, Array kept, ConstArray output,
                               ConstArray outputGradient, Array qkvGradient, const AttentionDropout& dropout,
                               const HeadSinks& sinks, float* scratch) {
    AttentionArguments a = argumentsOf(shape, qkv, kept, dropout);
    a.output = const_cast<void*>(output.data);  // backward only reads it
    a.outputGradient = outputGradient.data;
    a.qkvGradient = qkvGradient.data;
    a.rowDots = scratch;
    launchAttentionGrad(a, qkv.type, *queue_);
    if (!sinks) return;
    AttentionBlock rows;
    rows.samples = shape.samples;
    rows.rows = shape.sequence;
    rows.heads = shape.heads;
    rows.width = shape.width;
    sinkGrad(rows, output, outputGradient, kept.floats(), sinks);
}

}  // namespace shardlab::kernels::cuda
