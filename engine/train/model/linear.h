// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/train/model/layer_context.h"

#include <cstdint>
#include <optional>
#include <string>

namespace shardlab::train {

/// How a tensor group shares a product (1909.08053). By columns of the weight, each member computes a part of every
/// output row from whole input rows. By rows, each computes a summand of whole output rows from its part of the input.
/// Or each has the whole weight, for its own tokens.
enum class LinearCut : std::uint8_t { Columns, Rows, Whole };

/// How the columns or rows of a weight are cut.
struct LinearRuns {
    int groups = 1;    ///< equal runs of columns that are cut each by itself (query, key, value)
    int together = 1;  ///< so many stay on one member (those of a head)
    int tail = 0;      ///< or, where members share them, the last so many are cut by themselves (Slice)
    int unit = 1;      ///< and of those before them so many stay together
};

/// y = x·W + bias, W stored [inputs, outputs] ("<name>.weight", "<name>.bias"); without biases y = x·W. x is [rows,
/// inputs] and y [rows, outputs], counting what this member holds. Where the weight is cut by rows, every member has
/// the whole bias, and the caller adds it after the sum over members. Where weights have another type than activations,
/// each product rounds them first (Temporary, inputs·outputs). A weight that is not cut has no bias; where a tensor
/// group splits the tokens, the members' parts of its gradient are summed (Temporary, inputs·outputs fp32). Where
/// products have 8 bits, all of them read their factors as fp8_products.h rounds them, weights from their own type.
class Linear {
public:
    /// `inputs` and `outputs` count those of the whole weight.
    Linear(const LayerContext& context, const std::string& name, int inputs, int outputs, const Initial& initial,
           LinearCut cut, bool bias, const LinearRuns& runs = {});
    /// With a bias where the products of a block have one.
    Linear(const LayerContext& context, const std::string& name, int inputs, int outputs, const Initial& initial,
           LinearCut cut, const LinearRuns& runs = {})
        : Linear(context, name, inputs, outputs, initial, cut, context.parts.biases, runs) {}
    /// Starts the weight from a normal distribution.
    Linear(const LayerContext& context, const std::string& name, int inputs, int outputs, double deviation,
           LinearCut cut, const LinearRuns& runs = {})
        : Linear(context, name, inputs, outputs, Initial{deviation}, cut, runs) {}

    int inputs() const { return inputs_; }
    int outputs() const { return outputs_; }

    /// Null where there is no bias.
    ConstArray bias() const { return bias_ ? bias_->value() : ConstArray{}; }
    Array biasGradient() const { return bias_ ? bias_->gradient() : Array{}; }
    /// product = x·W.
    void multiply(int rows, ConstArray x, Array product) const;
    /// y = x·W + bias.
    void forward(int rows, ConstArray x, Array y) const;
    /// y = x·W + bias + residual, where this member's product is the whole one.
    void forwardResidual(int rows, ConstArray x, ConstArray residual, Array y) const;
    /// y = x·W + bias; activated = gelu(y). There must be a bias.
    void forwardGelu(int rows, ConstArray x, Array y, Array activated) const;
    /// inputGradient = outputGradient·Wᵀ.
    void inputGrad(int rows, ConstArray outputGradient, Array inputGradient) const {
        inputGrad(rows, outputGradient, 0, inputGradient);
    }
    /// inputGradient += outputGradient·Wᵀ.
    void addInputGrad(int rows, ConstArray outputGradient, Array inputGradient) const {
        inputGrad(rows, outputGradient, 1, inputGradient);
    }
    /// x := (outputGradient·Wᵀ)·gelu′(x), where this layer's input was gelu(x), and its column sums are added to
    /// `bias`, which may be null; scratch [rows, inputs].
    void inputGradGelu(int rows, ConstArray outputGradient, Array x, Array scratch, Array bias) const;
    /// Adds xᵀ·outputGradient to the weight's gradient, and the column sums of outputGradient to the bias's, if there
    /// is one and `biasToo`.
    void weightGrad(int rows, ConstArray x, ConstArray outputGradient, bool biasToo = true) const;

private:
    void inputGrad(int rows, ConstArray outputGradient, float before, Array inputGradient) const;
    /// The members of a tensor group each have a part of the rows that the weight's gradient is a sum over.
    bool sumsOverTokens() const { return whole_ && tensor_.splitsTokens(); }

    Arena& arena_;
    TensorGroup& tensor_;
    Fp8Products* fp8_;  ///< null where products read the format of activations
    bool whole_;
    DType type_;
    Weight weight_;
    std::optional<Weight> bias_;
    int inputs_;
    int outputs_;
    int number_ = 0;  ///< among the linear layers of fp8_
};

}  // namespace shardlab::train
