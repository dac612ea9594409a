// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"
#include "kernels/image_shape.h"

#include <string>

namespace shardlab::train {

/// A convolution of 3×3 pixels with zeros beyond the edges, as kernels/convolution.h says: "<name>.weight"
/// [9·channels, outputs], "<name>.bias". It works sample by sample, with the patches of one sample at a time
/// (Temporary, 9 times as large as its input) and, where weights have another type than activations, a rounded copy of
/// the weight (Temporary).
class Convolution {
public:
    /// The input has `shape`; the output is as large and has `outputs` channels. Weights start as in He et al.
    /// (1502.01852), with a deviation of √(2 ÷ rows of the weight).
    Convolution(const LayerContext& context, const std::string& name, const ImageShape& shape, int outputs);

    const ImageShape& shape() const { return shape_; }
    ImageShape outputShape() const { return {shape_.samples, shape_.height, shape_.width, outputs_}; }

    /// y = ReLU(convolved x + bias).
    void forwardRelu(ConstArray x, Array y) const;
    /// The gradient of x, from that of the input of this layer's ReLU. Where x itself comes from a ReLU, `activated` is
    /// x, and the result is the gradient of that ReLU's input; else `activated` is null.
    void inputGrad(ConstArray outputGradient, ConstArray activated, Array inputGradient) const;
    /// Adds to the gradients of weight and bias.
    void weightGrad(ConstArray x, ConstArray outputGradient) const;

private:
    ImageShape sample() const { return {1, shape_.height, shape_.width, shape_.channels}; }
    int rows() const { return shape_.height * shape_.width; }  ///< rows of a sample's patches
    Buffer patches() const;

    LayerContext context_;
    ImageShape shape_;
    int outputs_;
    Weight weight_;
    Weight bias_;
};

}  // namespace shardlab::train
