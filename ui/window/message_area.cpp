// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/message_area.h"

#include "ui/core/child.h"

#include <QAccessible>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace shardlab::ui {
namespace {

constexpr int shownAtMost = 3;
constexpr int detailLines = 4;

QString shortened(const QString& detail) {
    const QStringList lines = detail.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (lines.size() <= detailLines) return lines.join(QLatin1Char('\n'));
    return lines.mid(0, detailLines).join(QLatin1Char('\n')) +
           MessageArea::tr("\nand %1 more").arg(lines.size() - detailLines);
}

const char* role(MessageLevel level) {
    switch (level) {
    case MessageLevel::Info: return "message";
    case MessageLevel::Warning: return "messageWarning";
    case MessageLevel::Error: return "messageBad";
    }
    return "message";
}

}  // namespace

MessageArea::MessageArea(Messages& messages, QWidget* parent)
    : QWidget(parent), messages_(messages), column_(child<QVBoxLayout>(this)) {
    column_->setContentsMargins(8, 8, 8, 0);
    column_->setSpacing(6);
    setVisible(false);
    connect(&messages, &Messages::posted, this, &MessageArea::show);
    connect(&messages, &Messages::withdrawn, this, &MessageArea::withdraw);
}

int MessageArea::count() const { return column_->count(); }

QStringList MessageArea::texts() const {
    QStringList texts;
    for (int index = 0; index < column_->count(); ++index) texts << column_->itemAt(index)->widget()->accessibleName();
    return texts;
}

void MessageArea::withdraw(const QString& topic) {
    for (int index = column_->count() - 1; index >= 0; --index) {
        QWidget* old = column_->itemAt(index)->widget();
        if (old->property("topic").toString() == topic) remove(old);
    }
}

void MessageArea::remove(QWidget* frame) {
    if (column_->indexOf(frame) < 0) return;  // removed before, and not deleted yet
    column_->removeWidget(frame);
    frame->hide();
    frame->deleteLater();
    setVisible(column_->count() > 0);
}

void MessageArea::show(const Message& message) {
    if (!message.topic.isEmpty()) withdraw(message.topic);
    const QString topic = message.topic.isEmpty() ? QStringLiteral("#%1").arg(++anonymous_) : message.topic;
    auto* frame = child<QFrame>(this);
    frame->setProperty("role", role(message.level));
    frame->setProperty("topic", topic);
    frame->setAccessibleName(message.title + QLatin1Char('\n') + message.detail);
    auto* row = child<QHBoxLayout>(frame);
    row->setContentsMargins(12, 7, 7, 7);
    auto* words = child<QVBoxLayout>();
    words->setSpacing(2);
    row->addLayout(words, 1);
    auto* title = child<QLabel>(message.title, frame);
    title->setProperty("role", "title");
    title->setTextFormat(Qt::PlainText);
    words->addWidget(title);
    if (!message.detail.isEmpty()) {
        auto* detail = child<QLabel>(shortened(message.detail), frame);
        detail->setProperty("role", "dim");
        detail->setTextFormat(Qt::PlainText);
        detail->setWordWrap(true);
        detail->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        detail->setToolTip(message.detail);
        words->addWidget(detail);
    }
    for (const MessageChoice& choice : message.choices) {
        auto* button = child<QPushButton>(choice.label, frame);
        button->setFocusPolicy(Qt::TabFocus);
        connect(button, &QPushButton::clicked, this, [this, topic, act = choice.act] {
            withdraw(topic);
            act();
        });
        row->addWidget(button, 0, Qt::AlignVCenter);
    }
    auto* close = child<QToolButton>(frame);
    close->setText(QStringLiteral("✕"));
    close->setProperty("role", "flat");
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close this message"));
    connect(close, &QToolButton::clicked, this, [this, topic] { withdraw(topic); });
    row->addWidget(close, 0, Qt::AlignTop);
    column_->insertWidget(0, frame);
    while (column_->count() > shownAtMost) remove(column_->itemAt(column_->count() - 1)->widget());
    if (message.holds)
        connect(&messages_, &Messages::reviewed, frame, [this, frame, holds = message.holds] {
            if (!holds()) remove(frame);
        });
    if (message.newsIn)
        connect(&messages_, &Messages::left, frame, [this, frame, newsIn = *message.newsIn](Workspace workspace) {
            if (workspace == newsIn) remove(frame);
        });
    setVisible(true);
    QAccessibleEvent alert(frame, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

}  // namespace shardlab::ui
