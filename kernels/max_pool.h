// SPDX-License-Identifier: Apache-2.0
// The largest of each window of 2×2 pixels, channel by channel. Heights and widths are even; a shape is that of the
// images, what is pooled has half of its height and width. All exact.
//
// Gist (ISCA 2018): a backward needs of what was pooled neither the values nor the windows, but where in its window the
// largest lay, and whether the ReLU below let it pass: 2 bits and 1, kept as a code of 4 bits for each four elements.
// (A mask of the other three is never read: no gradient goes to them.)
#pragma once

#include "kernels/array.h"
#include "kernels/image_shape.h"

#include <cstddef>
#include <cstdint>

namespace shardlab {

/// Bytes of the codes of one row of what is pooled: two codes each, the first in the lower bits.
constexpr std::int64_t poolCodesOfRow(const ImageShape& shape) {
    return (std::int64_t{shape.width / 2} * shape.channels + 1) / 2;
}
/// Of all of it; each row begins a byte.
constexpr std::size_t poolCodes(const ImageShape& shape) {
    return static_cast<std::size_t>(std::int64_t{shape.samples} * (shape.height / 2) * poolCodesOfRow(shape));
}

struct MaxPoolOps {
    /// pooled: T. `codes` (poolCodes bytes, or null): 2·row + column of the first largest in its window, + 4 where it
    /// is above 0.
    virtual void maxPool(const ImageShape& shape, ConstArray images, Array pooled, std::uint8_t* codes) = 0;
    /// images, which a ReLU made, := the gradient of what went into the ReLU: pooledGradient at the first largest of
    /// each window where that is above 0, else 0.
    virtual void maxPoolGrad(const ImageShape& shape, ConstArray pooledGradient, Array images) = 0;
    /// The same from codes; `images` are overwritten.
    virtual void maxPoolCodedGrad(const ImageShape& shape, const std::uint8_t* codes, ConstArray pooledGradient,
                                  Array images) = 0;

protected:
    ~MaxPoolOps() = default;
};

}  // namespace shardlab
