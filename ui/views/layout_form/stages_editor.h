// SPDX-License-Identifier: GPL-3.0-or-later
// How many layers each stage holds: split evenly, balanced by the partitioner, or a number for each.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include <vector>

class QCheckBox;
class QGridLayout;
class QSpinBox;
class QToolButton;

namespace shardlab::ui {

class StagesEditor : public FieldEditor {
    Q_OBJECT
public:
    StagesEditor(const Field& field, IntegerListField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    void setCount(std::size_t count);
    void submit();
    void balance();

    IntegerListField access_;
    QCheckBox* even_;
    QToolButton* balance_;
    QGridLayout* grid_;
    std::vector<QSpinBox*> boxes_;
    std::vector<int> split_;  ///< shown; what "uneven" begins with
};

}  // namespace shardlab::ui
