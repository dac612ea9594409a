// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/attention_bytes.h"

#include "engine/layout/formats.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

constexpr std::int64_t maskedRows = 64;  ///< of the CPU's attention, at a time

AttentionBytes ringAttentionBytes(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const std::int64_t own = model.sequence / share.context, tokens = layout.batch.micro * own;
    const std::int64_t columns = tokens * queryColumns(model) / share.size;
    const std::int64_t block =
        layout.cluster.device == DeviceKind::Cuda ? 0 : fp32Bytes * 2 * std::min(own, maskedRows) * own;
    const std::int64_t keysValues = 2 * (2 * format * columns);
    return {fp32Bytes * tokens * model.heads / share.size,
            keysValues + (format == fp32Bytes ? 0 : fp32Bytes * columns) + block,
            keysValues + fp32Bytes * columns + 3 * (2 * fp32Bytes * columns) + block, 0};
}

}  // namespace

AttentionBytes attentionBytes(const Layout& layout, const TensorShare& share) {
    if (share.context > 1) return ringAttentionBytes(layout, share);
    const ModelSpec& model = layout.model;
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const std::int64_t s = model.sequence, tokens = layout.batch.micro * s;
    const std::int64_t rows = tokens * model.heads / share.size;
    if (layout.cluster.device == DeviceKind::Cuda)
        return {fp32Bytes * rows, 0, fp32Bytes * rows, format * 3 * tokens * queryColumns(model) / share.size};
    return {format * rows * s, model.dropout > 0 ? fp32Bytes * std::min(s, maskedRows) * s : 0,
            fp32Bytes * s * (s + headWidth(model)), 0};
}

}  // namespace shardlab::predict
