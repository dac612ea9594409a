// SPDX-License-Identifier: Apache-2.0
// Comma-separated values with a heading (RFC 4180), as tables of published measurements have them.
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::predict {

class CsvTable {
public:
    /// Errors: the file cannot be read, has no heading, or a row has another number of cells than the heading.
    static Result<CsvTable> read(const std::filesystem::path& file);
    static Result<CsvTable> parse(std::string_view text, const std::string& file);

    std::size_t rows() const { return cells_.size(); }
    bool has(std::string_view column) const { return columns_.contains(std::string(column)); }
    /// Empty where there is no such column.
    std::string_view cell(std::size_t row, std::string_view column) const;

private:
    std::map<std::string, std::size_t> columns_;
    std::vector<std::vector<std::string>> cells_;
};

}  // namespace shardlab::predict
