// SPDX-License-Identifier: Apache-2.0
// What stands between the products of a feed-forward block: a function of each number by itself, or a gate,
// f(gate)·value (2002.05202). GELU with tanh and a bias is in gelu.h. The tolerance against double precision is 1e-6 of
// the largest value, that of the gradient 1e-5.
#pragma once

#include "kernels/work.h"

namespace shardlab::kernels {

enum class Activation : std::uint8_t {
    Gelu,         ///< x·Φ(x), Φ of the normal distribution
    GeluTanh,     ///< as gelu.h
    Silu,         ///< x / (1 + e^(−x))
    SquaredRelu,  ///< max(x, 0)² (2109.08668)
};

/// What a gate g makes of a value v: f(g)·v. With a limit L it is g′·σ(α·g′)·(v′ + 1) instead, whatever f is, where g′
/// = min(g, L) and v′ = min(max(v, −L), L); what lies beyond a bound has the gradient 0 (GPT-OSS).
struct GateFunction {
    Activation f = Activation::Silu;
    float limit = 0;  ///< L; 0: none
    float alpha = 1;  ///< α

    GateFunction(Activation function) : f(function) {}
    GateFunction(float bound, float factor) : limit(bound), alpha(factor) {}
};

struct ActivationOps {
    /// output = f(x), element by element; `count` elements, T.
    virtual void activate(Activation f, std::int64_t count, ConstArray x, Array output) = 0;
    static KernelWork activateWork(Activation, std::int64_t count, ConstArray x, Array) {
        return {KernelKind::Activation, bytesOf(x, 2.0 * static_cast<double>(count))};
    }

    /// x := outputGradient · f′(x), element by element; `count` elements, T.
    virtual void activateGrad(Activation f, std::int64_t count, ConstArray outputGradient, Array x) = 0;
    static KernelWork activateGradWork(Activation, std::int64_t count, ConstArray, Array x) {
        return {KernelKind::Activation, bytesOf(x, 3.0 * static_cast<double>(count))};
    }

    /// joined: [rows, 2·columns]; each row holds the gates, then the values that the gates let through. output: [rows,
    /// columns]. T.
    virtual void gated(const GateFunction& f, int rows, int columns, ConstArray joined, Array output) = 0;
    static KernelWork gatedWork(const GateFunction&, int rows, int columns, ConstArray joined, Array) {
        return {KernelKind::Activation, bytesOf(joined, 3.0 * rows * columns)};
    }

    /// joined := its gradient; outputGradient: [rows, columns].
    virtual void gatedGrad(const GateFunction& f, int rows, int columns, ConstArray outputGradient, Array joined) = 0;
    static KernelWork gatedGradWork(const GateFunction&, int rows, int columns, ConstArray, Array joined) {
        return {KernelKind::Activation, bytesOf(joined, 5.0 * rows * columns)};
    }

protected:
    ~ActivationOps() = default;
};

#define SHARDLAB_ACTIVATION_OPS(operation)                                                                             \
    operation(ActivationOps, activate, 4) operation(ActivationOps, activateGrad, 4) operation(ActivationOps, gated, 5) \
        operation(ActivationOps, gatedGrad, 5)

}  // namespace shardlab::kernels
