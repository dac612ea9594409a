// SPDX-License-Identifier: Apache-2.0
// What follows from a cnn's sizes. Block k, from 0, takes maps of S = image ÷ 2^k pixels a side and C′ channels (those
// of the image, or of the block below), makes maps of C = hidden · 2^min(k, 3) channels in `convolutions` steps, each a
// convolution of 3×3 with a ReLU, and pools them to half of S. What the last block leaves, its features, are normed and
// classified.
#pragma once

#include "engine/layout/layout.h"

#include <cstdint>
#include <vector>

namespace shardlab {

/// Most halvings that an image bears.
int mostCnnBlocks(int image);

/// Channels of what block `block` makes.
int blockChannels(const ModelSpec& model, int block);
/// And of what it takes.
int inputChannels(const ModelSpec& model, int block);
/// Pixels of a side of what it takes.
int blockSide(const ModelSpec& model, int block);

/// Of one sample: what block `block` takes, S²C′; of the number of blocks, the features.
std::int64_t blockInputFloats(const ModelSpec& model, int block);
/// What one of its convolutions makes, S²C.
std::int64_t blockMapFloats(const ModelSpec& model, int block);

/// Bytes of the codes of what is pooled of one sample, each row in whole bytes (kernels/max_pool.h).
std::int64_t blockCodeBytes(const ModelSpec& model, int block);

/// Rows of the weights of each of the block's convolutions, 9C′, then 9C; each has C columns and a bias of C.
std::vector<std::int64_t> convolutionRows(const ModelSpec& model, int block);
/// Σ (rows + 1)·C.
std::int64_t blockParameterCount(const ModelSpec& model, int block);
/// Of it, the elements of matrices.
std::int64_t blockWeights(const ModelSpec& model, int block);
/// Of one sample: its patches (kernels/convolution.h), S² rows for each convolution.
std::int64_t blockPatchFloats(const ModelSpec& model, int block);
/// Of one sample's forward: 2S² · blockWeights.
double blockFlops(const ModelSpec& model, int block);

}  // namespace shardlab
