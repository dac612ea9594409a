// SPDX-License-Identifier: GPL-3.0-or-later
// The machines of the cluster: a line each with its name and number of devices, and what was found where they were
// checked.
#pragma once

#include "ui/views/layout_form/field_editor.h"

#include "engine/launch/job/doctor.h"

#include <vector>

class QLabel;
class QLineEdit;
class QSpinBox;
class QToolButton;
class QVBoxLayout;

namespace shardlab::ui {

class HostsCheck;

class HostsEditor : public FieldEditor {
    Q_OBJECT
public:
    HostsEditor(const Field& field, HostListField access, Document& document, QWidget* parent);
    void display(const Layout& layout) override;
    QWidget& control() override;
    bool wide() const override { return true; }
    HostsCheck& check() { return *check_; }

private:
    struct Line {
        QWidget* row;
        QLineEdit* host;
        QSpinBox* devices;
        QToolButton* remove;
        QLabel* finding;
    };
    void addLine();
    void startCheck(const std::string& agent);
    void rememberAgent();
    void showCheck();
    void showFindings();
    void change(const std::function<void(std::vector<HostSpec>&)>& edit);

    HostListField access_;
    QVBoxLayout* column_;
    QToolButton* add_;
    QToolButton* ask_;
    QLabel* failure_;
    QToolButton* once_;  ///< what the agent's question is answered with
    QToolButton* remember_;
    HostsCheck* check_;
    ClusterSpec checked_;  ///< what the findings are of; they are shown as long as the layout has it
    std::vector<MachineFinding> findings_;
    QString problem_;
    bool asking_ = false;  ///< `problem_` is the question whether the layout's agent may be started
    std::vector<Line> lines_;
};

}  // namespace shardlab::ui
