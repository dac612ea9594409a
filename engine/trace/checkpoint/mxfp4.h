// SPDX-License-Identifier: Apache-2.0
// Weights of four bits with a scale for each 32 of them: MXFP4 of the OCP's Microscaling Formats 1.0, as the published
// GPT-OSS has its experts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::trace {

constexpr int numbersOfMxfp4Block = 32;
constexpr int bytesOfMxfp4Block = 16;

/// The numbers that `codes` stand for, two a byte, the one in the lower bits first: E2M1 (a sign, two bits of exponent,
/// one of fraction) times the power of two of the block's scale (E8M0: 2^(scale − 127); 255 is no number). There is one
/// scale for each 16 bytes.
std::vector<float> mxfp4Numbers(std::span<const std::uint8_t> codes, std::span<const std::uint8_t> scales);

}  // namespace shardlab::trace
