// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/head_exchange.h"

#include "engine/layout/context_split.h"

namespace shardlab::train {

HeadExchange::HeadExchange(const LayerContext& context, int heads, int width)
    : context_(context), group_(*context.context), heads_(heads), width_(width) {}

Buffer HeadExchange::blocks(int parts) const {
    return context_.allocate(MemoryCategory::Temporary, static_cast<std::size_t>(blockSize(parts) * group_.size()));
}

void HeadExchange::copy(Way way, int rows, int columns, Array block, int blockStride, Array matrix,
                        int matrixStride) const {
    Device& device = context_.device();
    if (way == Way::IntoBlocks) device.copyColumns(rows, columns, matrix, matrixStride, block, blockStride);
    else device.copyColumns(rows, columns, block, blockStride, matrix, matrixStride);
}

void HeadExchange::columns(Way way, Array blocks, Array own, int parts) const {
    const int each = columnsOf(), all = heads_ * width_;
    for (int member = 0; member < group_.size(); ++member) {
        const Array block = blocks + member * blockSize(parts);
        for (int part = 0; part < parts; ++part)
            copy(way, context_.tokens(), each, block + part * each, parts * each, own + (part * all + member * each),
                 parts * all);
    }
}

void HeadExchange::rows(Way way, Array blocks, Array whole, int parts) const {
    const int width = parts * columnsOf();
    std::int64_t next = 0;  // row of the blocks
    for (int member = 0; member < group_.size(); ++member)
        for (int sample = 0; sample < context_.samples; ++sample)
            for (const TokenRun& run : contextRuns(sequence(), group_.size(), member)) {
                const std::int64_t row = std::int64_t{sample} * sequence() + run.first;
                copy(way, run.count, width, blocks + next * width, width, whole + row * width, width);
                next += run.count;
            }
}

void HeadExchange::toHeads(const Buffer& own, int parts, const Buffer& whole) const {
    const Buffer sent = blocks(parts), received = blocks(parts);
    columns(Way::IntoBlocks, sent.data(), own.data(), parts);
    group_.exchange(sent.span(), received.span());
    rows(Way::OutOfBlocks, received.data(), whole.data(), parts);
}

void HeadExchange::toTokens(const Buffer& whole, int parts, const Buffer& own) const {
    const Buffer sent = blocks(parts), received = blocks(parts);
    rows(Way::IntoBlocks, sent.data(), whole.data(), parts);
    group_.exchange(sent.span(), received.span());
    columns(Way::OutOfBlocks, received.data(), own.data(), parts);
}

}  // namespace shardlab::train
