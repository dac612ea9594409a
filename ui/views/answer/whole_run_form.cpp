// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/answer/whole_run_form.h"

#include "ui/core/child.h"

#include <QDoubleValidator>
#include <QFormLayout>
#include <QLineEdit>
#include <QSettings>

#include <algorithm>

namespace shardlab::ui {

WholeRunForm::WholeRunForm(QWidget* parent) : QWidget(parent) {
    auto* rows = child<QFormLayout>(this);
    rows->setContentsMargins(10, 8, 10, 8);
    add(&WholeRunQuestion::tokens, "tokens", tr("Tokens"), tr("To train on, 15.6e12 say; empty: nothing is asked"));
    add(&WholeRunQuestion::price, "price", tr("Price of a device's hour"),
        tr("In any currency; empty: no cost is told"));
    add(&WholeRunQuestion::failureHours, "failure_hours", tr("Hours between a device's failures"),
        tr("In the mean, with those of hosts and links; empty: nothing fails"));
    add(&WholeRunQuestion::checkpointSeconds, "checkpoint_seconds", tr("Seconds of a checkpoint"),
        tr("In which nothing trains"));
    add(&WholeRunQuestion::restartSeconds, "restart_seconds", tr("Seconds of a restart"),
        tr("From a failure until training goes on"));
    add(&WholeRunQuestion::interval, "interval", tr("Seconds between checkpoints"), tr("Of work; empty: the best"));
}

void WholeRunForm::add(double WholeRunQuestion::*figure, const char* key, const QString& label, const QString& help) {
    const QString setting = QStringLiteral("whole_run/") + QLatin1String(key);
    auto* edit = child<QLineEdit>(this);
    auto* numbers = child<QDoubleValidator>(0.0, 1e18, 6, edit);
    numbers->setLocale(QLocale::c());
    edit->setValidator(numbers);
    edit->setToolTip(help);
    edit->setAccessibleName(label);
    edit->setPlaceholderText(help);
    edit->setMinimumWidth(150);
    edit->setText(QSettings().value(setting).toString());
    question_.*figure = edit->text().toDouble();
    static_cast<QFormLayout*>(layout())->addRow(label, edit);
    connect(edit, &QLineEdit::textChanged, this, [this, figure, setting](const QString& words) {
        question_.*figure = words.toDouble();  // 0 where it is no number
        QSettings().setValue(setting, words);
        Q_EMIT changed();
    });
    fields_.push_back({figure, edit});
}

QLineEdit& WholeRunForm::field(double WholeRunQuestion::*figure) const {
    return *std::ranges::find(fields_, figure, &Field::figure)->edit;
}

}  // namespace shardlab::ui
