// SPDX-License-Identifier: Apache-2.0
// Max-pooling: the largest of each window of 2×2 pixels, channel by channel. Heights and widths are even; a shape is
// that of the images, and what is pooled has half of its height and width. All operations are exact.
//
// Gist (ISCA 2018): a backward needs neither the values that were pooled nor the windows, but where in its window the
// largest lay (2 bits), and whether the ReLU below let it pass (1 bit). Both are kept as a code of 4 bits for each four
// elements. A mask of the other three elements is never read, because no gradient goes to them.
#pragma once

#include "kernels/image_shape.h"
#include "kernels/work.h"

namespace shardlab::kernels {

/// The bytes of the codes for one pooled row: a byte holds two codes, the first in the lower bits.
constexpr std::int64_t poolCodesOfRow(const ImageShape& shape) {
    return (std::int64_t{shape.width / 2} * shape.channels + 1) / 2;
}
/// The bytes of the codes for all pooled rows; each row begins a byte.
constexpr std::size_t poolCodes(const ImageShape& shape) {
    return static_cast<std::size_t>(std::int64_t{shape.samples} * (shape.height / 2) * poolCodesOfRow(shape));
}

struct MaxPoolOps {
    /// pooled: T. `codes` (poolCodes bytes, or null): 2·row + column of the first largest in its window, + 4 where it
    /// is above 0.
    virtual void maxPool(const ImageShape& shape, ConstArray images, Array pooled, std::uint8_t* codes) = 0;
    static KernelWork maxPoolWork(const ImageShape& shape, ConstArray images, Array, const std::uint8_t* codes) {
        return poolingWork(images, 1.25, shape, codes != nullptr);
    }

    /// images holds what a ReLU made, and becomes the gradient of the ReLU's input: pooledGradient at the first largest
    /// of each window where that is above 0, else 0.
    virtual void maxPoolGrad(const ImageShape& shape, ConstArray pooledGradient, Array images) = 0;
    static KernelWork maxPoolGradWork(const ImageShape& shape, ConstArray, Array images) {
        return poolingWork(images, 2.25, shape, false);
    }

    /// Makes from codes what maxPoolGrad makes from the images, and overwrites `images`.
    virtual void maxPoolCodedGrad(const ImageShape& shape, const std::uint8_t* codes, ConstArray pooledGradient,
                                  Array images) = 0;
    static KernelWork maxPoolCodedGradWork(const ImageShape& shape, const std::uint8_t*, ConstArray, Array images) {
        return poolingWork(images, 1.25, shape, true);
    }

protected:
    ~MaxPoolOps() = default;

private:
    /// So many passes over the images, and one over the codes.
    static KernelWork poolingWork(ConstArray images, double passes, const ImageShape& shape, bool coded) {
        return {KernelKind::Pooling, bytesOf(images, passes * static_cast<double>(shape.elements())) +
                                         (coded ? static_cast<double>(poolCodes(shape)) : 0)};
    }
};

#define SHARDLAB_MAX_POOL_OPS(operation)                                                                               \
    operation(MaxPoolOps, maxPool, 4) operation(MaxPoolOps, maxPoolGrad, 3) operation(MaxPoolOps, maxPoolCodedGrad, 4)

}  // namespace shardlab::kernels
