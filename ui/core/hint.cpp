// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/hint.h"

namespace shardlab::ui {

Hint::Hint(QWidget* parent) : QLabel(parent) {
    setProperty("role", "hint");
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setContentsMargins(12, 2, 12, 2);
    setMinimumHeight(1);  // a low panel stays low
}

void Hint::setText(const QString& shows, const QString& why) {
    shows_ = shows;
    why_ = why;
    fit();
}

void Hint::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    fit();
}

void Hint::fit() {
    const QString whole = why_.isEmpty() ? QString() : shows_ + QStringLiteral("\n\n") + why_;
    QString joined = why_;
    joined.replace(QLatin1Char('\n'), QLatin1Char(' '));
    for (const QString& text : {whole, why_, joined}) {
        QLabel::setText(text);
        setToolTip(text == whole ? QString() : whole);
        if (heightForWidth(width()) <= height()) return;
    }
}

}  // namespace shardlab::ui
