// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/order_editor.h"

#include "ui/core/child.h"
#include "ui/core/text.h"
#include "ui/views/layout_form/calm_controls.h"

#include "engine/layout/schedule/custom.h"

#include <QCheckBox>
#include <QSignalBlocker>

namespace shardlab::ui {

OrderEditor::OrderEditor(const Field& field, TextListField access, Document& document, QWidget* parent)
    : FieldEditor(field, document, parent), access_(access), box_(child<QCheckBox>(this)),
      generated_(ScheduleSpec().kind) {
    fillWith(*this, *box_);
    box_->setLayoutDirection(Qt::RightToLeft);
    name(*box_);
    connect(box_, &QCheckBox::toggled, this, [this](bool on) {
        edit(
            [&](Layout& layout) {
                layout = on ? withScheduleKind(std::move(layout), customKind)
                            : generatedAgain(std::move(layout), generated_);
            },
            on ? tr("on") : tr("off"));
    });
}

void OrderEditor::display(const Layout& layout) {
    const QSignalBlocker quiet(box_);
    const std::size_t lines = value(layout, access_).size();
    const bool byHand = lines > 0 || layout.schedule.kind == customKind;
    if (!byHand) generated_ = layout.schedule.kind;
    box_->setChecked(byHand);
    box_->setText(!byHand ? QString() : counted(lines, tr("1 rank"), tr("%1 ranks")));
}

QWidget& OrderEditor::control() { return *box_; }

}  // namespace shardlab::ui
