// SPDX-License-Identifier: GPL-3.0-or-later
// The machines of the cluster: a line each with its name and number of devices.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include <vector>

class QLineEdit;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace shardlab {

class HostsEditor : public FieldEditor {
    Q_OBJECT
public:
    HostsEditor(const Field& field, HostListField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;
    bool wide() const override { return true; }

private:
    struct Line {
        QWidget* row;
        QLineEdit* host;
        QSpinBox* devices;
        QToolButton* remove;
    };
    void addLine();
    void change(const std::function<void(std::vector<HostSpec>&)>& edit);

    HostListField access_;
    QVBoxLayout* column_;
    QToolButton* add_;
    std::vector<Line> lines_;
};

}  // namespace shardlab
