// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/evidence/csv_table.h"

#include "engine/base/file.h"

#include <fmt/format.h>

namespace shardlab::predict {
namespace {

constexpr std::int64_t largestTable = std::int64_t{64} << 20;

/// One record from the front of `text`: cells until a line break outside quotes. False where quotes do not end.
bool takeRecord(std::string_view& text, std::vector<std::string>& cells) {
    cells.assign(1, {});
    bool quoted = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted) {
            if (c != '"') cells.back() += c;
            else if (at + 1 < text.size() && text[at + 1] == '"') cells.back() += text[++at];
            else quoted = false;
        } else if (c == '"' && cells.back().empty()) quoted = true;
        else if (c == ',') cells.emplace_back();
        else if (c == '\n') break;
        else if (c != '\r') cells.back() += c;
    }
    text.remove_prefix(std::min(text.size(), at + 1));
    return !quoted;
}

}  // namespace

Result<CsvTable> CsvTable::read(const std::filesystem::path& file) {
    const Result<std::string> text = readFile(file, largestTable);
    if (!text) return fail(text.error());
    return parse(*text, file.string());
}

Result<CsvTable> CsvTable::parse(std::string_view text, const std::string& file) {
    const auto refuse = [&](const std::string& why) {
        return fail({"cannot read the measurements", file, why,
                     "a table of comma-separated values with a heading, as resources/published/measurements.csv"});
    };
    CsvTable table;
    std::vector<std::string> cells;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (text.empty() || !takeRecord(text, cells)) return refuse("it has no heading");
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (!table.columns_.emplace(cells[i], i).second)
            return refuse(fmt::format("two columns are called {}", cells[i]));
    while (!text.empty()) {
        if (!takeRecord(text, cells)) return refuse(fmt::format("the quotes of row {} do not end", table.rows() + 1));
        if (cells.size() == 1 && cells.front().empty()) continue;
        if (cells.size() != table.columns_.size())
            return refuse(fmt::format("row {} has {} cells, the heading {}", table.rows() + 1, cells.size(),
                                      table.columns_.size()));
        table.cells_.push_back(cells);
    }
    return table;
}

std::string_view CsvTable::cell(std::size_t row, std::string_view column) const {
    const auto found = columns_.find(std::string(column));
    return found == columns_.end() ? std::string_view{} : std::string_view(cells_[row][found->second]);
}

}  // namespace shardlab::predict
