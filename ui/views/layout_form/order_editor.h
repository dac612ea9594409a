// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the layout carries its own order of actions; the order itself is edited in the grid.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include <string>

class QCheckBox;

namespace shardlab::ui {

class OrderEditor : public FieldEditor {
    Q_OBJECT
public:
    OrderEditor(const Field& field, TextListField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;

private:
    TextListField access_;
    QCheckBox* box_;
    std::string generated_;  ///< the last kind that made its own order: what switching off goes back to
};

}  // namespace shardlab::ui
