// SPDX-License-Identifier: Apache-2.0
#include "app/cli/terminal_markdown.h"

#include "app/cli/print.h"
#include "engine/launch/lesson/lesson_text.h"

#include <fmt/format.h>
#include <optional>
#include <sstream>
#include <vector>

namespace shardlab::cli {

namespace {

/// "| a | b |" → {"a", "b"}
std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells;
    std::size_t begin = 1;
    for (std::size_t bar = line.find('|', begin); bar != std::string::npos; bar = line.find('|', begin)) {
        std::string cell = line.substr(begin, bar - begin);
        cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
        cell.erase(cell.find_last_not_of(' ') + 1);
        cells.push_back(std::move(cell));
        begin = bar + 1;
    }
    return cells;
}

bool isRule(const std::string& line) { return line.find_first_not_of("|-: ") == std::string::npos; }

}  // namespace

std::string terminalMarkdown(const std::string& markdown) {
    std::istringstream lines(markdown);
    std::string result;
    std::optional<Table> table;
    std::size_t columns = 0;
    const auto close = [&] {
        if (table) result += table->text(2);
        table.reset();
    };
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('|')) {
            close();
            result += line + "\n";
        } else if (!isRule(line)) {
            std::vector<std::string> cells = cellsOf(line);
            if (!table) columns = cells.size();
            cells.resize(columns);
            table ? table->add(std::move(cells)) : static_cast<void>(table.emplace(std::move(cells)));
        }
    }
    close();
    return result;
}

std::string lessonPage(const Lesson& lesson, std::span<const KnownExperiment> known) {
    return terminalMarkdown(lessonText(lesson, known, [&](std::size_t index) {
        const LessonExperiment& experiment = lesson.experiments[index];
        return fmt::format("  ▸ {}{}{}\n    {}{}\n", experiment.name, experiment.title.empty() ? "" : ": ",
                           experiment.title, experiment.like.empty() ? "" : "like " + experiment.like + ", but ",
                           changeText(experiment));
    }));
}

}  // namespace shardlab::cli
