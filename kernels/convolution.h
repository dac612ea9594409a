// SPDX-License-Identifier: Apache-2.0
// A convolution of 3×3 pixels with zeros beyond the edges as a product, which goes to the library: with a row of
// `patches` for each pixel, the 9·channels numbers around it, y = patches·W + bias, W [9·channels, outputs]. The
// gradient of W is patchesᵀ·dy, that of the patches dy·Wᵀ, and each image's element sums those of the up to nine
// patches it lies in. Tolerance against double precision: patches are exact, sums 1e-6 of the largest value.
#pragma once

#include "kernels/array.h"
#include "kernels/image_shape.h"

namespace shardlab {

struct ConvolutionOps {
    /// patches[pixel, (3·j + i)·channels + c] = images[sample, y + j − 1, x + i − 1, c], 0 beyond the edges. Both T.
    virtual void spreadPatches(const ImageShape& shape, ConstArray images, Array patches) = 0;
    /// images := of each element the sum over the patches that hold it; where `activated`, as large as the images, is
    /// not above 0, nothing: the gradient of a ReLU below. `activated` null: everywhere. All T.
    virtual void sumPatches(const ImageShape& shape, ConstArray patches, ConstArray activated, Array images) = 0;

protected:
    ~ConvolutionOps() = default;
};

}  // namespace shardlab
