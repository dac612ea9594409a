// SPDX-License-Identifier: GPL-3.0-or-later
// Which rank holds what; in Run and Replay, how busy each is.
#pragma once

#include "ui/core/view.h"

#include <QTimer>

#include <vector>

namespace shardlab::trace {
struct StepSummary;
}  // namespace shardlab::trace

namespace shardlab::ui {

class MeshGrid;

class MeshView : public View {
    Q_OBJECT
public:
    MeshView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    void fillContextMenu(QMenu& menu, const QPoint& at) override;

private:
    void rebuild();
    void refresh();
    /// The last complete step at the selection's cursor; nullptr where there is none.
    const StepSummary* shownStep() const;
    QString holdings(int pipelineRank) const;  ///< "L0–3"

    MeshGrid* grid_;
    std::vector<QString> layers_;  ///< by pipeline rank: "L0–3"
    QTimer timer_;
    int step_ = -1;  ///< shown; -1: none
};

/// Share of the step in which each rank's compute lane was busy, between the step's first forward and last backward.
std::vector<double> busyShares(const StepSummary& step);

}  // namespace shardlab::ui
