// SPDX-License-Identifier: GPL-3.0-or-later
// The selected candidate before it is taken: its predicted figures, and in words what would change in the layout.
#pragma once

#include <QWidget>

class QPushButton;

namespace shardlab::ui {

class CandidatesModel;
class ElidedLabel;
class SearchSession;

class CandidatePreview : public QWidget {
    Q_OBJECT
public:
    CandidatePreview(const SearchSession& search, const CandidatesModel& candidates, QWidget* parent);
    /// A row of the candidates; -1: none is selected. Whatever is shown takes the same room, so that nothing above it
    /// moves between the clicks of a double click.
    void present(int row);
    /// Little height: changes have one line instead of two.
    void setLow(bool low);
    /// All that is shown, a line each.
    QString text() const;
    QPushButton& takeButton() const { return *take_; }

private:
    const SearchSession& search_;
    const CandidatesModel& candidates_;
    ElidedLabel* title_;
    ElidedLabel* figures_;
    ElidedLabel* changes_;
    QPushButton* take_;
};

}  // namespace shardlab::ui
