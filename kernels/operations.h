// SPDX-License-Identifier: Apache-2.0
// The list of all operations of a device. Each header below states the contract of a group of operations and lists them
// in rows: operation(group, name, number of parameters). Whatever all operations have in common is made from these
// rows: what a device declares, and what a device that forwards its calls does (forwarding_device.h).
#pragma once

#include "kernels/activation.h"
#include "kernels/adafactor.h"
#include "kernels/adamw.h"
#include "kernels/adamw_8bit.h"
#include "kernels/attention.h"
#include "kernels/bias.h"
#include "kernels/block_attention.h"
#include "kernels/columns.h"
#include "kernels/convolution.h"
#include "kernels/cross_entropy.h"
#include "kernels/dropout.h"
#include "kernels/elementwise.h"
#include "kernels/embedding.h"
#include "kernels/expert_rows.h"
#include "kernels/fp8.h"
#include "kernels/gate.h"
#include "kernels/gelu.h"
#include "kernels/gemm.h"
#include "kernels/gradient_codes.h"
#include "kernels/latent_heads.h"
#include "kernels/layer_norm.h"
#include "kernels/max_pool.h"
#include "kernels/packed_floats.h"
#include "kernels/pixels.h"
#include "kernels/relu.h"
#include "kernels/rms_norm.h"
#include "kernels/rotary.h"
#include "kernels/sgd.h"
#include "kernels/sm3.h"
#include "kernels/sparse_floats.h"

#include <tuple>

namespace shardlab::kernels {

#define SHARDLAB_OPERATIONS(operation)                                                                                 \
    SHARDLAB_GEMM_OPS(operation)                                                                                       \
    SHARDLAB_FP8_OPS(operation)                                                                                        \
    SHARDLAB_BIAS_OPS(operation)                                                                                       \
    SHARDLAB_LAYER_NORM_OPS(operation)                                                                                 \
    SHARDLAB_RMS_NORM_OPS(operation)                                                                                   \
    SHARDLAB_GELU_OPS(operation)                                                                                       \
    SHARDLAB_ACTIVATION_OPS(operation)                                                                                 \
    SHARDLAB_ROTARY_OPS(operation)                                                                                     \
    SHARDLAB_LATENT_HEAD_OPS(operation)                                                                                \
    SHARDLAB_COLUMN_OPS(operation)                                                                                     \
    SHARDLAB_PIXEL_OPS(operation)                                                                                      \
    SHARDLAB_CONVOLUTION_OPS(operation)                                                                                \
    SHARDLAB_RELU_OPS(operation)                                                                                       \
    SHARDLAB_MAX_POOL_OPS(operation)                                                                                   \
    SHARDLAB_PACKED_FLOAT_OPS(operation)                                                                               \
    SHARDLAB_SPARSE_FLOAT_OPS(operation)                                                                               \
    SHARDLAB_DROPOUT_OPS(operation)                                                                                    \
    SHARDLAB_ATTENTION_OPS(operation)                                                                                  \
    SHARDLAB_ATTENTION_BLOCK_OPS(operation)                                                                            \
    SHARDLAB_EMBEDDING_OPS(operation)                                                                                  \
    SHARDLAB_CROSS_ENTROPY_OPS(operation)                                                                              \
    SHARDLAB_ELEMENTWISE_OPS(operation)                                                                                \
    SHARDLAB_ADAMW_OPS(operation)                                                                                      \
    SHARDLAB_ADAMW_8BIT_OPS(operation)                                                                                 \
    SHARDLAB_SGD_OPS(operation)                                                                                        \
    SHARDLAB_ADAFACTOR_OPS(operation)                                                                                  \
    SHARDLAB_SM3_OPS(operation)                                                                                        \
    SHARDLAB_GATE_OPS(operation)                                                                                       \
    SHARDLAB_EXPERT_ROW_OPS(operation)                                                                                 \
    SHARDLAB_GRADIENT_CODE_OPS(operation)

struct Operations : GemmOps,
                    Fp8Ops,
                    BiasOps,
                    LayerNormOps,
                    RmsNormOps,
                    GeluOps,
                    ActivationOps,
                    RotaryOps,
                    LatentHeadOps,
                    ColumnOps,
                    PixelOps,
                    ConvolutionOps,
                    ReluOps,
                    MaxPoolOps,
                    PackedFloatOps,
                    SparseFloatOps,
                    DropoutOps,
                    AttentionOps,
                    AttentionBlockOps,
                    EmbeddingOps,
                    CrossEntropyOps,
                    ElementwiseOps,
                    AdamWOps,
                    AdamW8BitOps,
                    SgdOps,
                    AdafactorOps,
                    Sm3Ops,
                    GateOps,
                    ExpertRowOps,
                    GradientCodeOps {
protected:
    ~Operations() = default;
};

/// The types of an operation: OperationTypes<decltype(&BiasOps::addBias)>.
template <class Member>
struct OperationTypes;
template <class ResultType, class Group, class... Parameters>
struct OperationTypes<ResultType (Group::*)(Parameters...)> {
    using Signature = ResultType(Parameters...);
    using Result = ResultType;
    template <std::size_t index>
    using Parameter = std::tuple_element_t<index, std::tuple<Parameters...>>;
};
template <auto operation>
using OperationSignature = typename OperationTypes<decltype(operation)>::Signature;
template <auto operation>
using OperationResult = typename OperationTypes<decltype(operation)>::Result;
template <auto operation, std::size_t index>
using OperationParameter = typename OperationTypes<decltype(operation)>::template Parameter<index>;

/// SHARDLAB_OPERATIONS(SHARDLAB_DECLARE_OPERATION) declares all operations in a class that defines each of them.
#define SHARDLAB_DECLARE_OPERATION(group, name, parameters) OperationSignature<&group::name> name;

}  // namespace shardlab::kernels
