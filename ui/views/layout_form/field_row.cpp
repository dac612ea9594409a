// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/layout_form/field_row.h"

#include "ui/core/child.h"
#include "ui/core/field_words.h"
#include "ui/core/style_sheet.h"
#include "ui/views/layout_form/field_editor.h"

#include "engine/layout/fields.h"
#include "ui/core/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

constexpr int labelWidth = 118;

/// "Heads do not divide hidden: each head gets … Legal: 1, 2, 4"
QString inWords(const Fault& fault) {
    QString words = faultText(fault);
    if (!words.isEmpty()) words[0] = words[0].toUpper();
    return words;
}

}  // namespace

FieldRow::FieldRow(const Field& field, Document& document, QWidget* parent)
    : QWidget(parent), editor_(makeFieldEditor(field, document, this)), label_(child<QLabel>(term(field.label), this)),
      fault_(child<QLabel>(this)) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    auto* row = child<QHBoxLayout>();
    row->setSpacing(8);
    label_->setProperty("role", "dim");
    label_->setFixedWidth(labelWidth);
    label_->setBuddy(&editor_->control());
    label_->setToolTip(editor_->control().toolTip());
    row->addWidget(label_, 0, Qt::AlignTop | Qt::AlignLeft);
    column->addLayout(row);
    if (editor_->wide()) column->addWidget(editor_);
    else row->addWidget(editor_, 1);
    column->addWidget(fault_);
    fault_->setProperty("role", "fault");
    fault_->setWordWrap(true);
    fault_->setTextFormat(Qt::PlainText);
    fault_->hide();
    label_->setMinimumHeight(editor_->control().sizeHint().height());
    connect(editor_, &FieldEditor::misread, this, [this](const QString& why) {
        misread_ = why;
        showFault();
    });
}

const Field& FieldRow::field() const { return editor_->field(); }

void FieldRow::display(const Layout& layout) { editor_->display(layout); }

void FieldRow::setFaults(const std::vector<Fault>& faults) {
    QStringList lines;
    for (const Fault& fault : faults) lines << inWords(fault);
    faults_ = lines.join(QLatin1Char('\n'));
    showFault();
}

void FieldRow::setWithoutEffect(const QString& takes) {
    if (takes == takes_) return;
    takes_ = takes;
    showFault();
}

QString FieldRow::helpText() const {
    const QString help = fieldHelp(field());
    return takes_.isEmpty() ? help : tr("%1\nWithout effect here: %2.").arg(help, takes_);
}

QString FieldRow::faultText() const { return misread_.isEmpty() ? faults_ : misread_; }

void FieldRow::showFault() {
    const QString text = faultText();
    fault_->setText(text);
    fault_->setVisible(!text.isEmpty());
    setFaulty(editor_->control(), !text.isEmpty());
    QWidget& control = editor_->control();
    control.setAccessibleDescription(text.isEmpty() ? helpText() : text);
    // A field at fault has an effect: the fault.
    const bool subdued = !takes_.isEmpty() && text.isEmpty();
    setSubdued(control, subdued);
    setSubdued(*label_, subdued);
    control.setToolTip(helpText());
    label_->setToolTip(helpText());
}

}  // namespace shardlab::ui
