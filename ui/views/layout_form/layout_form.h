// SPDX-License-Identifier: GPL-3.0-or-later
// Every field of the layout, by section, made from the field table; faults are shown at their field. Sections can be
// folded, and a text finds fields by name, pointer or what their help says. A section ends with the number of its
// fields that change nothing at present, which a click shows.
#pragma once

#include "ui/core/view.h"

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QToolButton;
class QVBoxLayout;

namespace shardlab::ui {

class FieldRow;

class LayoutForm : public View {
    Q_OBJECT
public:
    LayoutForm(const ViewContext& context, QWidget* parent);

    QString subtitle() const override;
    QString asTable() const override;
    QString emptyText() const override { return {}; }
    bool showsFields() const override { return true; }
    const std::vector<FieldRow*>& rows() const { return rows_; }
    FieldRow* row(const QString& pointer) const;
    /// Every keystroke is a step of the document, so its undo serves in the fields too, not their own.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Section {
        QString name;        ///< first part of the pointers: "model"
        QWidget* head;       ///< title and note
        QToolButton* title;  ///< checked: open
        QLabel* note;        ///< beside its title: "2 × 2 = 4 ranks"
        QToolButton* rest;   ///< checked: the fields without an effect are shown
        std::size_t firstRow = 0, lastRow = 0;
    };
    void addSection(QVBoxLayout& column, const QString& name);
    void refresh();
    void refreshNotes();
    /// Shows the fields that the layout has and that change something, of open sections, or those that were asked for.
    void showRows();
    void fold(const Section& section, bool folded);
    void focusField(const QString& pointer);

    QLineEdit* wanted_;
    QScrollArea* area_;
    QPushButton* shrink_;  ///< shown for a design whose hosts may not be there
    QLabel* none_;         ///< says that nothing was found
    std::vector<FieldRow*> rows_;
    std::vector<Section> sections_;
};

}  // namespace shardlab::ui
