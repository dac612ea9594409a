// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/event/number_table.h"

#include "engine/trace/event/column_codec.h"

#include <algorithm>
#include <cassert>

namespace shardlab::trace {
namespace {

constexpr std::size_t mostColumns = 256;

}  // namespace

void NumberTable::add(std::initializer_list<std::int64_t> row) {
    assert(row.size() == columns_.size());
    auto column = columns_.begin();
    for (const std::int64_t value : row) (column++)->push_back(value);
    ++rows_;
}

void NumberTable::append(Bytes& out) const {
    ByteWriter writer(out);
    writer.varint(rows_);
    writer.varint(columns_.size());
    for (std::size_t at = 0; at < rows_; at += largestColumn)
        for (const auto& column : columns_)
            writeColumn(writer, std::span(column).subspan(at, std::min(largestColumn, rows_ - at)));
}

bool NumberTable::read(ByteReader& in, std::uint64_t most) {
    const std::uint64_t rows = in.varint();
    const std::uint64_t columns = in.varint();
    // A piece of a column takes two bytes at least: what claims more rows than there are bytes for is refused unread.
    const std::uint64_t pieces = (rows + largestColumn - 1) / largestColumn;
    if (!in.ok() || rows > most || columns > mostColumns || pieces * columns * 2 > in.left()) return false;
    columns_.resize(std::min(columns_.size(), static_cast<std::size_t>(columns)));
    for (auto& column : columns_) column.resize(static_cast<std::size_t>(rows));
    rows_ = static_cast<std::size_t>(rows);
    std::vector<std::int64_t> unknown(std::min(rows_, largestColumn));
    for (std::size_t at = 0; at < rows_; at += largestColumn)
        for (std::size_t column = 0; column < columns; ++column) {
            const std::size_t count = std::min(largestColumn, rows_ - at);
            const auto values = column < columns_.size() ? std::span(columns_[column]).subspan(at, count)
                                                         : std::span(unknown).first(count);
            if (!readColumn(in, values)) return false;
        }
    return in.ok();
}

}  // namespace shardlab::trace
