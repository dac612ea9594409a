// SPDX-License-Identifier: Apache-2.0
#include "app/cli/print.h"

#include "app/cli/verbs.h"
#include "engine/base/catalogue.h"
#include "engine/base/language.h"
#include "engine/base/visible_text.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace shardlab::cli {

namespace {

/// The columns that a UTF-8 text takes. Characters of three and four bytes whose first is from 0xE3 on, or is of the
/// full-width forms, are Chinese ones, of two columns.
std::size_t width(std::string_view text) {
    std::size_t columns = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0) != 0x80) columns += byte >= 0xE3 ? 2 : 1;
    }
    return columns;
}

bool looksLikeNumber(const std::string& cell) {
    return cell.empty() || cell == unknownCell || std::isdigit(static_cast<unsigned char>(cell.front())) != 0;
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

void Table::add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = visible(cell, Lines::Visible);
    rows_.push_back(std::move(row));
}

std::string told(const Sentence& sentence) {
    static const base::Catalogue catalogue = base::Catalogue::of(base::language());
    return catalogue.told(sentence);
}

void print(std::string_view text) {
    const std::string shown = visible(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void printData(std::string_view text) {
    if (isatty(STDOUT_FILENO) != 0) print(text);
    else std::fwrite(text.data(), 1, text.size(), stdout);
}

void printError(const Error& error) { printNote(say("shardlab: {}", error.told())); }

void printNote(const Sentence& text) { std::fprintf(stderr, "%s\n", visible(told(text)).c_str()); }

void printFaults(const std::vector<Fault>& faults) {
    for (const Fault& fault : faults) {
        printNote(sentenceOf(fault));
        if (!fault.picture.empty()) printNote(fault.picture);
    }
}

void printNotes(const std::vector<Sentence>& notes) {
    for (const Sentence& note : notes) printNote(say("note: {}", note));
}

int failWith(const Error& error) {
    printError(error);
    return failure;
}

int failWith(const std::vector<Fault>& faults) {
    printFaults(faults);
    return failure;
}

Status mayWrite(const std::filesystem::path& file, bool force) {
    std::error_code ignored;
    if (force || !std::filesystem::exists(file, ignored)) return {};
    return fail({say("will not replace"), file.string(), say("it exists"), say("another --out, or --force")});
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    if (!shown_.empty()) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(std::string_view text) {
    if (!terminal_ || text == shown_) return;
    shown_ = text;
    fmt::print(stderr, "\r{}\033[K", visible(shown_));
    std::fflush(stderr);
}

}  // namespace shardlab::cli
