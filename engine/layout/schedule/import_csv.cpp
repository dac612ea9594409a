// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parse_text.h"
#include "engine/layout/schedule/csv_cells.h"
#include "engine/layout/schedule/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace shardlab::layout {
namespace {

/// What torch writes beside the actions that we know: "2UNSHARD", "3WAIT_SEND_F1".
constexpr std::array<std::string_view, 5> torchWords{"UNSHARD", "RESHARD", "WAIT_SEND_F", "WAIT_SEND_B",
                                                     "WAIT_REDUCE_GRAD"};
constexpr std::string_view digits = "0123456789";

/// The letters between the numbers of a cell.
std::string_view wordOf(std::string_view cell) {
    cell.remove_prefix(std::min(cell.find_first_not_of(digits), cell.size()));
    return cell.substr(0, cell.find_first_of(digits));
}

bool isTorchWord(std::string_view cell) {
    const std::string_view word = wordOf(cell);
    return digits.find(cell.front()) != std::string_view::npos &&
           std::ranges::find(torchWords, word) != torchWords.end() &&
           cell.find_first_not_of(digits, cell.find(word) + word.size()) == std::string_view::npos;
}

bool isOrder(ActionKind kind) { return isCompute(kind) && kind != ActionKind::Recompute; }

class Importer {
public:
    Status take(std::string_view cell, std::vector<Action>& actions) {
        constexpr std::string_view pairEnd = ")OVERLAP_F_B";
        if (cell.starts_with('(') && cell.ends_with(pairEnd)) {
            cell.remove_prefix(1);
            cell.remove_suffix(pairEnd.size());
            ++pairs_;
            while (!cell.empty())
                if (const Status taken = take(takePart(cell, ';'), actions); !taken) return taken;
            return {};
        }
        if (!cell.empty() && isTorchWord(cell)) {
            ++leftOut_[std::string(wordOf(cell))];
            return {};
        }
        const Result<Action> action = parseAction(cell);
        if (!action) return fail(action.error());
        if (isOrder(action->kind)) actions.push_back(*action);
        else ++leftOut_[std::string(wordOf(cell))];
        return {};
    }

    std::vector<Sentence> notes() const {
        std::vector<Sentence> notes;
        if (!leftOut_.empty()) {
            std::string counts;
            for (const auto& [word, count] : leftOut_)
                counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, word);
            notes.push_back(say("{} left out: what is not compute is made anew from the layout", counts));
        }
        if (pairs_ > 0)
            notes.push_back(say("{} OVERLAP_F_B taken apart: the two actions of a pair follow one another", pairs_));
        return notes;
    }

private:
    std::map<std::string, int> leftOut_;
    int pairs_ = 0;
};

}  // namespace

Result<ImportedSchedule> importCsv(std::string_view csv) {
    Importer importer;
    Result<Schedule> compute = readCells(
        csv, [&](std::string_view cell, std::vector<Action>& actions) { return importer.take(cell, actions); });
    if (!compute) return fail(compute.error());
    return ImportedSchedule{std::move(*compute), importer.notes()};
}

}  // namespace shardlab::layout
