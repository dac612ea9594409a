// SPDX-License-Identifier: Apache-2.0
// Text for a terminal: aligned tables, errors. Names, reasons and log lines of files and links are not to be trusted:
// whatever goes through here has its control characters made visible (base/visible_text.h), and all that verbs say goes
// through here.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/fault.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::cli {

/// A cell whose value is not known.
inline constexpr std::string_view unknownCell = "–";

/// Columns two spaces apart; a column of numbers (with or without units) is aligned right.
class Table {
public:
    explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}
    /// Line feeds and tabs of a cell become visible too.
    void add(std::vector<std::string> row);
    /// Each line ends with a line feed and begins with `indent` spaces.
    std::string text(int indent = 0) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

/// The sentence in the language of the locale (engine/base/language.h), as people are told it. What programs read,
/// JSON and CSV, is English.
std::string told(const Sentence& sentence);

void print(std::string_view text);
/// Prints CSV, which stays byte for byte as it is where standard output is no terminal.
void printData(std::string_view text);
/// Prints "shardlab: text" to standard error.
void printError(const Error& error);
/// Prints what is wrong; returns the status of a verb that failed.
int failWith(const Error& error);
int failWith(const std::vector<Fault>& faults);
/// Error: the file exists, and the verb was not told --force.
Status mayWrite(const std::filesystem::path& file, bool force);
/// Prints a line to standard error that is no error by itself.
void printNote(const Sentence& text);
/// Prints the faults to standard error, one line each.
void printFaults(const std::vector<Fault>& faults);
/// Prints "note: text" to standard error, one line each.
void printNotes(const std::vector<Sentence>& notes);

/// One line of standard error that long work rewrites, where that is a terminal; nothing where it is none.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine();  ///< empties the line
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    void show(std::string_view text);

private:
    bool terminal_;
    std::string shown_;
};

}  // namespace shardlab::cli
