// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/attention_bytes.h"

#include "engine/layout/formats.h"

#include <algorithm>

namespace shardlab {
namespace {

constexpr std::int64_t fp32 = bytesOf(NumberFormat::Fp32);
constexpr std::int64_t maskedRows = 64;  ///< of the CPU's attention, at a time

AttentionBytes ringBytes(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const std::int64_t own = model.sequence / share.context, tokens = layout.batch.micro * own;
    const std::int64_t columns = tokens * model.hidden / share.size;
    const std::int64_t block = layout.cluster.device == "cuda" ? 0 : fp32 * 2 * std::min(own, maskedRows) * own;
    const std::int64_t keysValues = 2 * (2 * format * columns);
    return {fp32 * tokens * model.heads / share.size, keysValues + (format == fp32 ? 0 : fp32 * columns) + block,
            keysValues + fp32 * columns + 3 * (2 * fp32 * columns) + block, 0};
}

}  // namespace

AttentionBytes attentionBytes(const Layout& layout, const TensorShare& share) {
    if (share.context > 1) return ringBytes(layout, share);
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
