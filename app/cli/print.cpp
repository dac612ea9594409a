// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace shardlab::cli {

namespace {

/// Columns a UTF-8 text takes: its code points; there are no wide characters in our tables.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool looksLikeNumber(const std::string& cell) {
    return cell.empty() || cell == "–" || std::isdigit(static_cast<unsigned char>(cell.front())) != 0;
}

}  // namespace

std::string Table::text(int indent) const {
    const std::size_t columns = rows_.front().size();
    std::vector<std::size_t> widths(columns, 0);
    std::vector<bool> right(columns, true);
    for (const auto& row : rows_)
        for (std::size_t column = 0; column < columns; ++column) {
            widths[column] = std::max(widths[column], width(row[column]));
            if (&row != &rows_.front() && !looksLikeNumber(row[column])) right[column] = false;
        }
    std::string result;
    for (const auto& row : rows_) {
        std::string line(static_cast<std::size_t>(indent), ' ');
        for (std::size_t column = 0; column < columns; ++column) {
            const std::string space(widths[column] - width(row[column]), ' ');
            line += (column > 0 ? "  " : "") + (right[column] ? space + row[column] : row[column] + space);
        }
        result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return result;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void printError(const Error& error) { std::fprintf(stderr, "shardlab: %s\n", error.text().c_str()); }

void printNote(std::string_view text) { std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data()); }

void printFaults(const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) std::fprintf(stderr, "%s\n", toText(fault).c_str());
}

void printNotes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
}

}  // namespace shardlab::cli
