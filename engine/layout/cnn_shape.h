// SPDX-License-Identifier: Apache-2.0
// What follows from a cnn's sizes. Block k, from 0, takes maps of S = image ÷ 2^k pixels a side and C′ channels (those
// of the image, or of the block below), makes maps of C = hidden · 2^min(k, 3) channels in `convolutions` steps, each a
// convolution of 3×3 with a ReLU, and pools them to half of S. What the last block leaves, its features, are normed and
// classified.
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>
#include <vector>

namespace shardlab::layout {

/// How often an image can be halved.
int mostCnnBlocks(int image);

/// Channels of the maps that a block makes.
int blockChannels(const ModelSpec& model, int block);
/// Channels of the maps that a block takes.
int inputChannels(const ModelSpec& model, int block);
/// Pixels of a side of the maps that a block takes.
int blockSide(const ModelSpec& model, int block);

/// Numbers of one sample that a block takes, S²C′. With the number of blocks for `block` these are the features.
std::int64_t blockInputFloats(const ModelSpec& model, int block);
/// Numbers of one sample that a convolution of the block makes, S²C.
std::int64_t blockMapFloats(const ModelSpec& model, int block);

/// Bytes of the codes of one sample's pooled maps, each row in whole bytes (kernels/max_pool.h).
std::int64_t blockCodeBytes(const ModelSpec& model, int block);

/// Rows of the weights of each of the block's convolutions, 9C′, then 9C; each has C columns and a bias of C.
std::vector<std::int64_t> convolutionRows(const ModelSpec& model, int block);
/// Parameters of a block, Σ (rows + 1)·C.
std::int64_t blockParameterCount(const ModelSpec& model, int block);
/// Parameters of a block that are elements of matrices, not biases.
std::int64_t blockWeights(const ModelSpec& model, int block);
/// Numbers of one sample's patches (kernels/convolution.h), S² rows for each convolution.
std::int64_t blockPatchFloats(const ModelSpec& model, int block);
/// Floating point operations of one sample's forward through a block, 2S² · blockWeights.
double blockFlops(const ModelSpec& model, int block);

}  // namespace shardlab::layout
