// SPDX-License-Identifier: GPL-3.0-or-later
// Products in 8 bits: the scale of a factor of a linear layer over steps, and the shares of its numbers that saturated
// or became 0. A click selects the step, and the rank and microbatch where it was worst. As rows: all factors in the
// step under the cursor.
#pragma once

#include "ui/core/rounding.h"
#include "ui/core/throttle.h"
#include "ui/core/view.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QTableWidget;

namespace shardlab::ui {

class ScalesView : public View {
    Q_OBJECT
public:
    ScalesView(const ViewContext& context, QWidget* parent);
    ~ScalesView() override;
    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override;
    void flush() { refresh_.flush(); }
    /// What is told of the step drawn at a pixel of the canvas; empty where there is none.
    QString valueAt(int x) const;
    QWidget* canvas() const;
    QComboBox& factors() { return *choice_; }
    QTableWidget& table() { return *table_; }
    const QLabel& note() const { return *note_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void applyTheme();
    void fillChoice();
    void fillTable();
    void draw();
    /// The factor that is drawn: the one that was chosen, else the worst; nullptr where there is none.
    const RoundedFactor* shown() const;
    /// A factor in the step under the cursor.
    const RoundedStep* current(const RoundedFactor& factor) const { return factor.at(context_.stepAtCursor()); }
    void choose(int index);
    /// Puts the cursor at a step and selects the rank and the action where it was worst.
    void select(const RoundedStep& step);

    struct Plot;
    std::unique_ptr<Plot> plot_;
    QComboBox* choice_;
    QPushButton* asRows_;
    QStackedWidget* stack_;
    QTableWidget* table_;
    QLabel* note_;
    std::vector<RoundedFactor> factors_;  ///< the worst first
    std::optional<trace::Fp8Place> chosen_;
    Throttle refresh_;
    bool wasEmpty_ = true;
};

}  // namespace shardlab::ui
