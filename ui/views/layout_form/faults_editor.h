// SPDX-License-Identifier: GPL-3.0-or-later
// Faults on purpose: a line each with what happens, to which rank, after how many steps.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include <string>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace shardlab::ui {

class FaultsEditor : public FieldEditor {
    Q_OBJECT
public:
    FaultsEditor(const Field& field, TextListField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;
    bool wide() const override { return true; }

private:
    struct Line {
        QWidget* row;
        QWidget* parts;  ///< the controls of a fault that can be read
        QComboBox* kind;
        QSpinBox* rank;
        QSpinBox* after;
        QDoubleSpinBox* factor;
        QLineEdit* text;  ///< of one that cannot
        QToolButton* remove;
    };
    void addLine();
    void show(const Line& line, const std::string& text);
    void submit(std::size_t index);
    void change(const std::function<void(std::vector<std::string>&)>& apply);

    TextListField access_;
    QVBoxLayout* column_;
    QToolButton* add_;
    std::vector<Line> lines_;
};

}  // namespace shardlab::ui
