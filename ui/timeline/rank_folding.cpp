// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rank_folding.h"

#include "engine/layout/mesh/alike.h"

#include <algorithm>
#include <map>
#include <utility>

namespace shardlab::ui {
namespace {

/// Whether a word of the filter begins with a digit (filterRanks).
bool namesNumbers(std::string_view filter) {
    bool inside = false;
    for (const char letter : filter) {
        const bool between = letter == ' ' || letter == ',' || letter == '\t';
        if (!between && !inside && letter >= '0' && letter <= '9') return true;
        inside = !between;
    }
    return false;
}

}  // namespace

void RankFolding::begin(const RunModel& model) {
    groupOf_.assign(static_cast<std::size_t>(model.ranks()), -1);
    sizes_.clear();
    otherwise_.clear();
    possible_ = false;
    many_ = model.ranks() >= many;
    if (model.empty() || !model.header().hasLayout()) return;
    for (const std::vector<int>& group : alikeRanks(model.header().layout, model.mesh())) {
        for (const int rank : group)
            if (rank < model.ranks()) groupOf_[static_cast<std::size_t>(rank)] = static_cast<int>(sizes_.size());
        sizes_.push_back(static_cast<int>(group.size()));
        possible_ = possible_ || group.size() > 1;
    }
}

void RankFolding::setFolded(bool folded) {
    folded_ = folded;
    otherwise_.clear();
}

void RankFolding::toggle(int rank) {
    if (rank < 0 || rank >= static_cast<int>(groupOf_.size())) return;
    const int group = groupOf_[static_cast<std::size_t>(rank)];
    if (group < 0 || sizes_[static_cast<std::size_t>(group)] < 2) return;
    if (otherwise_.erase(group) == 0) otherwise_.insert(group);
}

std::vector<RankRow> RankFolding::rows(const RunModel& model, const std::vector<int>& ranks,
                                       const std::vector<int>& pinned, std::optional<Axis> grouping,
                                       std::string_view filter) const {
    const bool byNumber = namesNumbers(filter);
    std::set<int> apart(pinned.begin(), pinned.end());
    if (possible_ && !showsPrediction(model))
        for (const Straggler& slow : model.steps().stragglers(model.report().end().has_value()))
            apart.insert(slow.rank);
    std::vector<RankRow> rows;
    std::map<std::pair<int, int>, std::size_t> known;  ///< rows of groups, and of places on the axis
    for (const int rank : ranks) {
        const int group =
            rank < static_cast<int>(groupOf_.size()) && !byNumber ? groupOf_[static_cast<std::size_t>(rank)] : -1;
        const bool alone = group < 0 || sizes_[static_cast<std::size_t>(group)] < 2 || apart.contains(rank);
        if (alone) {
            rows.push_back({{rank}});
            continue;
        }
        const int place = grouping ? model.mesh().coordinate(rank, *grouping) : 0;
        const auto [row, fresh] = known.try_emplace({group, place}, rows.size());
        const bool folds = folded() != otherwise_.contains(group);
        if (!fresh && folds) rows[row->second].ranks.push_back(rank);
        else rows.push_back({{rank}, fresh && !folds && folded()});
    }
    return rows;
}

}  // namespace shardlab::ui
