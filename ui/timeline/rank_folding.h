// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks share a row of a timeline. Ranks that do the same (layout/mesh/alike.h) are folded into the row of one of
// them; a person unfolds one such row, or all.
#pragma once

#include "ui/core/run_model.h"

#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace shardlab::ui {

/// One row that is to be shown.
struct RankRow {
    std::vector<int> ranks;  ///< that it stands for; the first is drawn
    bool opened = false;     ///< the first of a group that was unfolded while the others are folded
    bool operator==(const RankRow&) const = default;
};

class RankFolding {
public:
    /// So many ranks and more are folded until a person says otherwise.
    static constexpr int many = 48;

    /// Looks at the ranks of a model that has begun; what was unfolded of another is forgotten.
    void begin(const RunModel& model);
    /// Whether any ranks are alike.
    bool possible() const { return possible_; }
    bool folded() const { return folded_.value_or(many_); }
    /// All of them; single groups are as all are again.
    void setFolded(bool folded);
    /// The group of a rank: folded, it is unfolded, and the other way about.
    void toggle(int rank);

    /// The rows of `ranks`, in their order; a group stands where its first rank stands. Ranks that are pinned and those
    /// that lag behind their like have rows of their own, and so have all where the filter names ranks by number.
    /// `grouping`: ranks that differ on this axis are not folded into one row.
    std::vector<RankRow> rows(const RunModel& model, const std::vector<int>& ranks, const std::vector<int>& pinned,
                              std::optional<Axis> grouping, std::string_view filter) const;

private:
    std::vector<int> groupOf_;  ///< by rank
    std::vector<int> sizes_;    ///< by group
    bool possible_ = false;
    bool many_ = false;
    std::optional<bool> folded_;  ///< as a person said
    std::set<int> otherwise_;     ///< groups that are not as all are
};

}  // namespace shardlab::ui
