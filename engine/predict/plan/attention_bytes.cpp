// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/attention_bytes.h"

#include "engine/layout/block_parts.h"
#include "engine/layout/formats.h"
#include "engine/layout/stacks.h"

#include <algorithm>

namespace shardlab::predict {
namespace {

constexpr std::int64_t rowsAtATime = 64;  ///< of the CPU's attention

AttentionBytes ringAttentionBytes(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const std::int64_t own = model.sequence / share.context, tokens = layout.batch.micro * own;
    const std::int64_t columns = tokens * queryColumns(model, share);
    const std::int64_t block =
        layout.cluster.device == DeviceKind::Cuda ? 0 : fp32Bytes * 2 * std::min(own, rowsAtATime) * own;
    const std::int64_t keysValues = 2 * (2 * format * columns);
    return {fp32Bytes * tokens * ownHeads(model, share),
            keysValues + (format == fp32Bytes ? 0 : fp32Bytes * columns) + block,
            keysValues + fp32Bytes * columns + 3 * (2 * fp32Bytes * columns) + block, 0};
}

AttentionBytes ofDevice(const Layout& layout, const TensorShare& share) {
    const ModelSpec& model = layout.model;
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const std::int64_t s = model.sequence, tokens = layout.batch.micro * s;
    const std::int64_t rows = tokens * ownHeads(model, share) / share.context;
    const BlockParts parts = blockParts(model);
    if (layout.cluster.device == DeviceKind::Cuda)
        return {fp32Bytes * rows, 0, fp32Bytes * rows,
                format * 3 * tokens * queryColumns(model, share) / share.context};
    const std::int64_t block = fp32Bytes * std::min(s, rowsAtATime) * s;
    return {format * rows * (s + (parts.sinks ? 1 : 0)), model.dropout > 0 ? block : 0,
            fp32Bytes * s * (s + queryWidth(model)) + (parts.attentionCap > 0 ? block : 0), 0};
}

AttentionBytes exchangedBytes(const Layout& layout, const TensorShare& share) {
    const AttentionBytes device = ofDevice(layout, share);
    const std::int64_t columns = numberFormats(layout.precision).activationBytes() * layout.batch.micro *
                                 (layout.model.sequence / share.context) * queryColumns(layout.model, share);
    const std::int64_t passing = 2 * (3 * columns);
    return {device.kept + 4 * columns, std::max(passing, device.forwardScratch),
            device.gradientApart + std::max(passing, columns + device.backwardScratch), 0, 4 * columns};
}

/// What a stack keeps: probabilities in the format of activations, with dropout their mask and what it leaves of them
/// besides; or, where no probabilities are kept, the logarithms of rows' sums in fp32.
AttentionBytes stackAttentionBytes(const Layout& layout, const TensorShare& share, const SoftwareStack& stack) {
    const ModelSpec& model = layout.model;
    const std::int64_t format = numberFormats(layout.precision).activationBytes();
    const std::int64_t rows =
        std::int64_t{layout.batch.micro} * (model.sequence / share.context) * ownHeads(model, share);
    if (stack.attention != AttentionKernel::Materialised) return {fp32Bytes * rows, 0, 0, 0};
    const std::int64_t each = model.dropout > 0 ? 2 * format + 1 : format;
    return {each * rows * model.sequence, 0, format * rows * model.sequence, 0};
}

}  // namespace

AttentionBytes attentionBytes(const Layout& layout, const TensorShare& share) {
    if (const SoftwareStack* stack = modelledStack(layout)) return stackAttentionBytes(layout, share, *stack);
    if (exchangesHeads(layout)) return exchangedBytes(layout, share);
    if (share.context > 1) return ringAttentionBytes(layout, share);
    return ofDevice(layout, share);
}

}  // namespace shardlab::predict
