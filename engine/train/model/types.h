// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/formats.h"
#include "kernels/array.h"

namespace shardlab::train {

constexpr DType dtype(NumberFormat format) {
    return format == NumberFormat::Fp32 ? DType::F32 : format == NumberFormat::Bf16 ? DType::BF16 : DType::F16;
}

/// The types of a stage's arrays; T, P and G are their names in kernels/device.h.
struct Types {
    DType activations = DType::F32;  ///< T
    DType weights = DType::F32;      ///< P
    DType gradients = DType::F32;    ///< G

    Types() = default;
    explicit Types(const NumberFormats& formats)
        : activations(dtype(formats.activations)), weights(dtype(formats.weights)),
          gradients(dtype(formats.gradients)) {}
};

}  // namespace shardlab::train
