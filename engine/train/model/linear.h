// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardlab {

/// How a tensor group shares a product: by columns of the weight, each member making a part of every output row from
/// whole input rows; by rows, each making a summand of whole output rows from its part of the input (1909.08053).
enum class LinearCut : std::uint8_t { Columns, Rows };

/// y = x·W + bias, W stored [inputs, outputs] ("<name>.weight", "<name>.bias"); without biases y = x·W. x is [rows,
/// inputs], y [rows, outputs], of what this member holds. Cut by rows the bias is whole, and added by the caller after
/// the members' sum. Where weights are kept in another type than activations, each product rounds them first
/// (Temporary, inputs·outputs).
class Linear {
public:
    /// `inputs` and `outputs` of the whole. `groups`: equal runs of the columns, each cut by itself (query, key,
    /// value).
    Linear(const LayerContext& context, const std::string& name, int inputs, int outputs, const Initial& initial,
           LinearCut cut, int groups = 1);
    /// A normal start.
    Linear(const LayerContext& context, const std::string& name, int inputs, int outputs, double deviation,
           LinearCut cut, int groups = 1)
        : Linear(context, name, inputs, outputs, Initial{deviation}, cut, groups) {}

    int inputs() const { return inputs_; }
    int outputs() const { return outputs_; }

    /// Null where there is none.
    ConstArray bias() const { return bias_ ? bias_->value() : ConstArray{}; }
    /// product = x·W.
    void multiply(int rows, ConstArray x, Array product) const;
    /// y = x·W + bias.
    void forward(int rows, ConstArray x, Array y) const;
    /// y = x·W + bias; activated = gelu(y). With a bias.
    void forwardGelu(int rows, ConstArray x, Array y, Array activated) const;
    /// inputGradient = outputGradient·Wᵀ.
    void inputGrad(int rows, ConstArray outputGradient, Array inputGradient) const;
    /// x := (outputGradient·Wᵀ)·gelu′(x), where this layer's input was gelu(x); scratch [rows, inputs].
    void inputGradGelu(int rows, ConstArray outputGradient, Array x, Array scratch) const;
    /// Adds xᵀ·outputGradient, and its column sums where there is a bias.
    void weightGrad(int rows, ConstArray x, ConstArray outputGradient) const;

private:
    Arena& arena_;
    DType type_;
    Weight weight_;
    std::optional<Weight> bias_;
    int inputs_;
    int outputs_;
};

}  // namespace shardlab
