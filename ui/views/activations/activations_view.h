// SPDX-License-Identifier: GPL-3.0-or-later
// What a rank keeps of each microbatch until its backward: layer by layer and operation by operation, with the formula
// of each. Layers that are alike are one group of rows.
#pragma once

#include "engine/predict/plan/kept_parts.h"
#include "ui/core/view.h"

#include <vector>

class QLabel;
class QTableWidget;

namespace shardlab::ui {

class ActivationsView : public View {
    Q_OBJECT
public:
    ActivationsView(const ViewContext& context, QWidget* parent);
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// A part of `layers` layers from `first` on that are alike.
    struct Row {
        KeptPart part;
        int first = 0;
        int layers = 1;
    };
    void refresh();
    /// Hides the letters where the table needs their place; the head of the formulae says them too.
    void makeRoom();
    QString layersText(const Row& row) const;
    std::int64_t sum() const;  ///< bytes of a microbatch

    QTableWidget* table_;
    QLabel* letters_;
    std::vector<Row> rows_;
    int rank_ = -1;
    int inFlight_ = 0;  ///< most microbatches whose activations the rank keeps at once
    int chunks_ = 1;    ///< of the rank
};

}  // namespace shardlab::ui
