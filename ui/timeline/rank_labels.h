// SPDX-License-Identifier: GPL-3.0-or-later
// The ranks' names and places beside the rows of a timeline. They stay while time goes by below the mouse, and laying
// out text takes longer than anything else of a frame: on a screen they are kept as a picture.
#pragma once

#include "ui/timeline/timeline_state.h"

#include <QPixmap>

#include <vector>

namespace shardlab::ui {

class RankLabels {
public:
    struct Label {
        Row row;
        int position;
        QString title, place;
        bool twoLines;
    };
    /// The rows in sight are named alike: where the title of one that ranks share does not fit, such rows are called by
    /// where they stand; and beside the titles stands where all ranks stand, or where none does.
    static std::vector<Label> of(const TimelineState& state);
    /// The ranks may be others now, or have other names.
    void changed() { picture_ = {}; }
    void paint(QPainter& painter, const TimelineState& state);
    /// "rank 8", "ranks 8–15", with a mark in front where the row can be unfolded or folded.
    static QString title(const TimelineState& state, int position);
    /// "dp1 pp0", "pp0 × 8".
    static QString place(const TimelineState& state, int position);

private:
    /// What they look like depends on.
    struct Key {
        Rows rows;
        std::vector<int> opened;
        QRect area;
        int chosen = -1;
        bool dark = true;
        double devicePixelRatio = 1;
        bool operator==(const Key&) const = default;
    };
    QPixmap picture_;
    Key key_;
};

}  // namespace shardlab::ui
