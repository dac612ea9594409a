// SPDX-License-Identifier: Apache-2.0
// Rows of whole numbers as bytes, column by column (resources/manual/70-run-file.md): what is stored of steps.
#pragma once

#include "engine/base/bytes.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace shardlab::trace {

class NumberTable {
public:
    static constexpr std::uint64_t mostRows = std::uint64_t{1} << 20;

    explicit NumberTable(std::size_t columns) : columns_(columns) {}

    /// One number for each column.
    void add(std::initializer_list<std::int64_t> row);
    std::size_t rows() const { return rows_; }
    /// 0 in a column that the table, written by an older version, does not have.
    std::int64_t at(std::size_t row, std::size_t column) const {
        return column < columns_.size() ? columns_[column][row] : 0;
    }
    void append(Bytes& out) const;
    /// Replaces what is here. False: no whole table is there, or one of more than `most` rows. Columns beyond these are
    /// read and forgotten.
    bool read(ByteReader& in, std::uint64_t most = mostRows);

private:
    std::vector<std::vector<std::int64_t>> columns_;
    std::size_t rows_ = 0;
};

}  // namespace shardlab::trace
