// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/schedule/grid.h"

#include "engine/layout/schedule/passes.h"
#include "engine/layout/schedule/slots.h"
#include "engine/layout/schedule/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace shardlab::layout {
namespace {

struct Cell {
    int begin;
    int slots;
    std::string text;
};

/// Where `marked` stands: by address where it points into the list, else the first equal action.
std::optional<std::size_t> positionOf(const std::vector<Action>& actions, const Action* marked) {
    if (marked == nullptr) return {};
    for (std::size_t i = 0; i < actions.size(); ++i)
        if (&actions[i] == marked) return i;
    const auto found = std::ranges::find(actions, *marked);
    if (found == actions.end()) return {};
    return static_cast<std::size_t>(found - actions.begin());
}

struct Row {
    std::vector<Cell> cells;
    std::optional<int> markedSlot;
};

/// Compute, and the marked action whatever it is; actions that never begin follow one another at the end.
Row layOut(const Schedule& schedule, const SlotTimes& times, std::size_t rank, const Action* marked, bool markedHere) {
    Row row;
    const std::vector<Action>& actions = schedule.ranks[rank];
    const std::optional<std::size_t> position = markedHere ? positionOf(actions, marked) : std::nullopt;
    int end = 0;
    const auto put = [&](const Action& action, int begin, bool frame) {
        const int slots = std::max(1, slotsOf(action.kind));
        begin = std::max(begin, end);
        row.cells.push_back({begin, slots, frame ? fmt::format("[{}]", toText(action)) : toText(action)});
        if (frame) row.markedSlot = begin;
        end = begin + slots;
    };
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const bool frame = position == i;
        if (!frame && slotsOf(actions[i].kind) == 0) continue;
        put(actions[i], i < times.reached[rank] ? times.begin[rank][i] : std::max(end, times.end), frame);
    }
    if (markedHere && marked != nullptr && !position) put(*marked, std::max(end, times.end), true);
    return row;
}

/// Characters a terminal shows, of text that is ASCII but for · and ─.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string repeat(const char* text, std::size_t times) {
    std::string result;
    while (times-- > 0) result += text;
    return result;
}

}  // namespace

std::string renderGrid(const Schedule& schedule, const Action* marked, int markedRank, GridWindow window) {
    if (!schedule.flushes()) return renderGrid(unrolled(schedule, 2).schedule, marked, markedRank, window);
    const SlotTimes times = slotTimes(schedule);
    std::vector<Row> rows;
    int firstSlot = 0, endSlot = 0;
    std::size_t cellWidth = 1;
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        rows.push_back(layOut(schedule, times, rank, marked, static_cast<int>(rank) == markedRank));
        for (const Cell& cell : rows.back().cells) {
            endSlot = std::max(endSlot, cell.begin + cell.slots);
            cellWidth = std::max(cellWidth, (cell.text.size() + static_cast<std::size_t>(cell.slots) - 1) /
                                                static_cast<std::size_t>(cell.slots));
        }
    }
    int firstRank = 0, endRank = static_cast<int>(rows.size());
    if (markedRank >= 0 && markedRank < endRank) {
        if (window.ranks < endRank) {
            firstRank = std::max(firstRank, markedRank - window.ranks);
            endRank = std::min(endRank, markedRank + window.ranks + 1);
        }
        const std::optional<int> slot = rows[static_cast<std::size_t>(markedRank)].markedSlot;
        if (slot && window.slots < endSlot) {
            firstSlot = std::max(firstSlot, *slot - window.slots);
            endSlot = std::min(endSlot, *slot + window.slots + 1);
        }
    }

    std::string text;
    const std::size_t numberWidth = std::to_string(std::max(endRank - 1, 0)).size();
    for (int rank = firstRank; rank < endRank; ++rank) {
        std::string line = fmt::format("rank {:>{}} |{}", rank, numberWidth, firstSlot > 0 ? "…" : "");
        int slot = firstSlot;
        for (const Cell& cell : rows[static_cast<std::size_t>(rank)].cells) {
            if (cell.begin + cell.slots <= firstSlot || cell.begin >= endSlot) continue;
            if (cell.begin < firstSlot) {  // its end alone is in sight
                slot = cell.begin + cell.slots;
                line += " " + repeat("─", static_cast<std::size_t>(slot - firstSlot) * (cellWidth + 1) - 1);
                continue;
            }
            for (; slot < cell.begin; ++slot) line += " ·" + std::string(cellWidth - 1, ' ');
            const std::size_t room = static_cast<std::size_t>(cell.slots) * (cellWidth + 1) - 1;
            // A cell of several slots is drawn through to its end.
            line += " " + cell.text;
            if (room > width(cell.text))
                line +=
                    cell.slots > 1 ? repeat("─", room - width(cell.text)) : std::string(room - width(cell.text), ' ');
            slot = cell.begin + cell.slots;
        }
        for (; slot < endSlot; ++slot) line += " ·" + std::string(cellWidth - 1, ' ');
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string toGrid(const Schedule& schedule, const Action* marked, int markedRank) {
    return renderGrid(schedule, marked, markedRank, {});
}

}  // namespace shardlab::layout
