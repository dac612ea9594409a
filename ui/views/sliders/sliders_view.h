// SPDX-License-Identifier: GPL-3.0-or-later
// Microbatches, pipeline ranks and chunks on sliders that go through the legal values only; every view follows while
// one is dragged. A drag is one step of undo.
#pragma once

#include "engine/predict/search/sweep.h"
#include "ui/core/view.h"

#include <array>
#include <vector>

class QLabel;
class QSlider;

namespace shardlab::ui {

class SlidersView : public View {
    Q_OBJECT
public:
    SlidersView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    bool showsFields() const override { return true; }
    /// At its width: its figures may take a second line, for which Qt's own hint has no room.
    QSize minimumSizeHint() const override;
    QSlider& slider(SweepAxis axis) const { return *rows_[static_cast<std::size_t>(axis)].slider; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Row {
        QSlider* slider;
        QLabel* value;
        std::vector<Setting> settings;
    };
    void addRow(SweepAxis axis, const QString& name, const QString& symbol, const QString& help);
    /// Legal values and positions from the document; those of the slider that is dragged stay.
    void refresh();
    void refreshFigures();
    void moved(SweepAxis axis, int position);
    Row& row(SweepAxis axis) { return rows_[static_cast<std::size_t>(axis)]; }

    std::array<Row, 3> rows_;
    std::array<QString, 3> names_;
    QLabel* figures_;
    int drag_ = 0;  ///< numbers drags: all changes of one are one step of undo
};

}  // namespace shardlab::ui
