// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson's experiments below its text: what is known of each, and buttons to show, run, stop and design it.
#pragma once

#include "ui/core/view.h"

#include <QWidget>

#include <vector>

class QPushButton;

namespace shardlab::ui {

class ElidedLabel;

class ExperimentRows : public QWidget {
    Q_OBJECT
public:
    ExperimentRows(const ViewContext& context, QWidget* parent);

    /// Makes the rows of another lesson.
    void rebuild();
    /// Shows the experiments' states; called as often as steps come while one runs.
    void refresh();

private:
    struct Row {
        QWidget* whole;
        QPushButton* name;  ///< pressed: its run or prediction is in sight
        ElidedLabel* state;
        QPushButton* run;  ///< or Stop
        QPushButton* design;
    };
    Row makeRow(std::size_t experiment);
    QString stateText(std::size_t experiment) const;

    ViewContext context_;
    std::vector<Row> rows_;
};

}  // namespace shardlab::ui
