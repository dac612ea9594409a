// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/attention_bytes.h"

#include "engine/layout/formats.h"

#include <algorithm>

namespace shardlab {
namespace {

constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);
constexpr std::int64_t maskedRows = 64;  ///< of the CPU's attention, at a time

}  // namespace

AttentionBytes attentionBytes(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const std::int64_t s = model.sequence, tokens = layout.batch.micro * s;
    const std::int64_t rows = tokens * model.heads / share.size;
    if (layout.cluster.device == "cuda")
        return {fp32 * rows, 0, fp32 * rows, format * 3 * tokens * model.hidden / share.size};
    return {format * rows * s, model.dropout > 0 ? fp32 * std::min(s, maskedRows) * s : 0,
            fp32 * s * (s + model.hidden / model.heads), 0};
}

}  // namespace shardlab
