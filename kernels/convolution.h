// SPDX-License-Identifier: Apache-2.0
// A convolution of 3×3 pixels with zeros beyond the edges as a product, which a library computes: with a row of
// `patches` for each pixel, the 9·channels numbers around it, y = patches·W + bias, W [9·channels, outputs]. The
// gradient of W is patchesᵀ·dy, that of the patches dy·Wᵀ, and each image's element sums those of the up to nine
// patches it lies in. The tolerance against double precision: patches are exact, sums 1e-6 of the largest value.
#pragma once

#include "kernels/image_shape.h"
#include "kernels/work.h"

namespace shardlab::kernels {

struct ConvolutionOps {
    /// patches[pixel, (3·j + i)·channels + c] = images[sample, y + j − 1, x + i − 1, c], 0 beyond the edges. Both T.
    virtual void spreadPatches(const ImageShape& shape, ConstArray images, Array patches) = 0;
    static KernelWork spreadPatchesWork(const ImageShape& shape, ConstArray images, Array) {
        return {KernelKind::Patches, bytesOf(images, 10 * static_cast<double>(shape.elements()))};
    }

    /// Each element of images := the sum over the patches that hold it. Where the same element of `activated` is not
    /// above 0, it is 0 instead: the gradient of a ReLU below. `activated` may be null. All T.
    virtual void sumPatches(const ImageShape& shape, ConstArray patches, ConstArray activated, Array images) = 0;
    static KernelWork sumPatchesWork(const ImageShape& shape, ConstArray patches, ConstArray activated, Array) {
        const auto elements = static_cast<double>(shape.elements());
        return {KernelKind::Patches, bytesOf(patches, 10 * elements) + bytesOf(activated, elements)};
    }

protected:
    ~ConvolutionOps() = default;
};

#define SHARDLAB_CONVOLUTION_OPS(operation)                                                                            \
    operation(ConvolutionOps, spreadPatches, 3) operation(ConvolutionOps, sumPatches, 4)

}  // namespace shardlab::kernels
