// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/message_area.h"

#include "ui/core/child.h"

#include <QAccessible>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace shardlab::ui {
namespace {

constexpr int shownAtMost = 3;
constexpr int detailLines = 4;
constexpr int passingMilliseconds = 8000;
constexpr int passingWidth = 420;

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

MessageArea::MessageArea(Messages& messages, QWidget& views, QWidget* parent)
    : QWidget(parent), messages_(messages), views_(views), passing_(child<QWidget>(parent)) {
    for (QWidget* stack : {static_cast<QWidget*>(this), passing_}) {
        auto* column = child<QVBoxLayout>(stack);
        column->setContentsMargins(8, 8, 8, stack == this ? 0 : 8);
        column->setSpacing(6);
        stack->setVisible(false);
    }
    views.installEventFilter(this);
    connect(&messages, &Messages::posted, this, &MessageArea::show);
    connect(&messages, &Messages::withdrawn, this, &MessageArea::withdraw);
}

QStringList MessageArea::texts() const {
    QStringList texts;
    for (const QWidget* frame : frames_) texts << frame->accessibleName();
    return texts;
}

void MessageArea::withdraw(const QString& topic) {
    for (QWidget* old : std::vector(frames_))
        if (old->property("topic").toString() == topic) remove(old);
}

void MessageArea::remove(QWidget* frame) {
    if (std::erase(frames_, frame) == 0) return;  // removed before, and not deleted yet
    QWidget* stack = frame->parentWidget();
    stack->layout()->removeWidget(frame);
    frame->hide();
    frame->deleteLater();
    stack->setVisible(stack->layout()->count() > 0);
    if (stack == passing_) placePassing();
}

void MessageArea::placePassing() {
    const int width = std::min(std::max(passingWidth, passing_->minimumSizeHint().width()), views_.width());
    const int height = passing_->layout()->hasHeightForWidth() ? passing_->layout()->heightForWidth(width)
                                                               : passing_->sizeHint().height();
    const QPoint corner = views_.mapTo(parentWidget(), QPoint(views_.width(), views_.height()));
    passing_->setGeometry(corner.x() - width, corner.y() - height, width, height);
    passing_->raise();
}

bool MessageArea::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &views_ && event->type() == QEvent::Resize) placePassing();
    return QWidget::eventFilter(watched, event);
}

void MessageArea::show(const Message& message) {
    if (!message.topic.isEmpty()) withdraw(message.topic);
    const QString topic = message.topic.isEmpty() ? QStringLiteral("#%1").arg(++anonymous_) : message.topic;
    QWidget* stack = message.passing ? passing_ : this;
    auto* frame = child<QFrame>(stack);
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
    auto* column = static_cast<QVBoxLayout*>(stack->layout());
    column->insertWidget(0, frame);
    frames_.insert(frames_.begin(), frame);
    while (column->count() > shownAtMost) remove(column->itemAt(column->count() - 1)->widget());
    if (message.holds)
        connect(&messages_, &Messages::reviewed, frame, [this, frame, holds = message.holds] {
            if (!holds()) remove(frame);
        });
    if (message.newsIn)
        connect(&messages_, &Messages::left, frame, [this, frame, newsIn = *message.newsIn](Workspace workspace) {
            if (workspace == newsIn) remove(frame);
        });
    stack->setVisible(true);
    if (stack == passing_) {
        placePassing();
        QTimer::singleShot(passingMilliseconds, frame, [this, frame] { remove(frame); });
    }
    QAccessibleEvent alert(frame, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

}  // namespace shardlab::ui
