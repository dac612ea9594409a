// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"
#include "kernels/image_shape.h"

#include <string>

namespace shardlab {

/// A convolution of 3×3 pixels with zeros beyond the edges, as kernels/convolution.h says: "<name>.weight"
/// [9·channels, outputs], "<name>.bias". Goes sample by sample: the patches of one (Temporary, 9 times as large as what
/// is convolved of it) are there at a time, and where weights are kept in another type than activations, a rounded copy
/// (Temporary).
class Convolution {
public:
    /// Of `shape` in, and as large maps with `outputs` channels out. Starts as He et al. (1502.01852): deviation
    /// √(2 ÷ rows of the weight).
    Convolution(const LayerContext& context, const std::string& name, const ImageShape& shape, int outputs);

    const ImageShape& shape() const { return shape_; }
    ImageShape outputShape() const { return {shape_.samples, shape_.height, shape_.width, outputs_}; }

    /// y = ReLU(convolved x + bias).
    void forwardRelu(ConstArray x, Array y) const;
    /// Of x, from the gradient of what went into the ReLU; where `activated`, which is x, comes from a ReLU, of what
    /// went into that; null: x does not.
    void inputGrad(ConstArray outputGradient, ConstArray activated, Array inputGradient) const;
    /// Adds to the gradients of weight and bias.
    void weightGrad(ConstArray x, ConstArray outputGradient) const;

private:
    ImageShape sample() const { return {1, shape_.height, shape_.width, shape_.channels}; }
    int rows() const { return shape_.height * shape_.width; }  ///< of a sample's patches
    Buffer patches() const;

    LayerContext context_;
    ImageShape shape_;
    int outputs_;
    Weight weight_;
    Weight bias_;
};

}  // namespace shardlab
