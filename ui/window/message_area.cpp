// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/message_area.h"

#include "ui/core/child.h"

#include <QAccessible>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>

namespace shardlab::ui {
namespace {

constexpr int shownAtMost = 3;
constexpr int detailLines = 4;
constexpr int passingMilliseconds = 8000;
constexpr int usualWidth = 300;  ///< about that of the right column in a small window
constexpr int besideText = 12;   ///< of an edit: its border and padding, and the margin of its document

QString shortened(const QStringList& lines) {
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
    : QWidget(parent), messages_(messages), views_(views) {
    auto* column = child<QVBoxLayout>(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(6);
    setVisible(false);
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
    layout()->removeWidget(frame);
    frame->hide();
    frame->deleteLater();
    setVisible(!frames_.empty());
    place();
}

void MessageArea::place() {
    const int width = std::min(std::max(usualWidth, minimumSizeHint().width()), views_.width());
    const int wanted = layout()->hasHeightForWidth() ? layout()->heightForWidth(width) : sizeHint().height();
    const int height = std::min(wanted, views_.height());
    const QPoint corner = views_.mapTo(parentWidget(), QPoint(views_.width(), views_.height()));
    setGeometry(corner.x() - width, corner.y() - height, width, height);
    raise();
}

bool MessageArea::event(QEvent* event) {
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) place();
    return handled;
}

bool MessageArea::eventFilter(QObject* watched, QEvent* event) {
    if (watched == &views_ && event->type() == QEvent::Resize) place();
    return QWidget::eventFilter(watched, event);
}

/// Puts the whole detail, which scrolls, into the place of the shortened one.
QPushButton* MessageArea::allButton(QFrame& frame, QLabel& detail, const Message& message) {
    auto* button = child<QPushButton>(tr("Show all"), &frame);
    button->setProperty("role", "flat");
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QPushButton::clicked, &frame,
            [this, button, &frame, &detail, title = message.title, text = message.detail] {
                auto* whole = child<QPlainTextEdit>(text, &frame);
                whole->setReadOnly(true);
                whole->setProperty("role", "prose");
                whole->setTabChangesFocus(true);
                whole->setAccessibleName(title);
                whole->ensurePolished();
                const QRect room(0, 0, detail.width() - 2 * besideText, views_.height());
                const QFontMetrics metrics = whole->fontMetrics();
                const int needed = metrics.boundingRect(room, Qt::TextWordWrap, text).height() + metrics.lineSpacing() +
                                   2 * besideText;
                const int most = views_.height() / 2;
                whole->setFixedHeight(std::min(needed, most));
                // A bar that comes before the width is known would make lines break that need not, and stay for them.
                if (needed <= most) whole->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
                const std::unique_ptr<QLayoutItem> taken(frame.layout()->replaceWidget(&detail, whole));
                detail.hide();
                button->hide();
                whole->setFocus();
                place();
            });
    return button;
}

void MessageArea::show(const Message& message) {
    if (!message.topic.isEmpty()) withdraw(message.topic);
    const QString topic = message.topic.isEmpty() ? QStringLiteral("#%1").arg(++anonymous_) : message.topic;
    auto* frame = child<QFrame>(this);
    frame->setProperty("role", role(message.level));
    frame->setProperty("topic", topic);
    frame->setAccessibleName(message.title + QLatin1Char('\n') + message.detail);
    auto* words = child<QVBoxLayout>(frame);
    words->setContentsMargins(12, 7, 7, 9);
    words->setSpacing(4);
    auto* head = child<QHBoxLayout>();
    words->addLayout(head);
    const auto say = [frame](const QString& text, const char* role) {
        auto* label = child<QLabel>(text, frame);
        label->setProperty("role", role);
        label->setTextFormat(Qt::PlainText);
        label->setWordWrap(true);
        return label;
    };
    head->addWidget(say(message.title, "title"), 1);
    auto* row = child<QHBoxLayout>();
    if (const QStringList lines = message.detail.split(QLatin1Char('\n'), Qt::SkipEmptyParts); !lines.isEmpty()) {
        QLabel* detail = say(shortened(lines), "dim");
        detail->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        words->addWidget(detail);
        if (lines.size() > detailLines) row->addWidget(allButton(*frame, *detail, message));
    }
    words->addLayout(row);
    if (!message.choices.empty()) {
        row->addStretch(1);
        for (const MessageChoice& choice : message.choices) {
            auto* button = child<QPushButton>(choice.label, frame);
            button->setFocusPolicy(Qt::TabFocus);
            connect(button, &QPushButton::clicked, this, [this, topic, act = choice.act] {
                withdraw(topic);
                act();
            });
            row->addWidget(button);
        }
    }
    auto* close = child<QToolButton>(frame);
    close->setText(QStringLiteral("✕"));
    close->setProperty("role", "flat");
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(tr("Close this message"));
    connect(close, &QToolButton::clicked, this, [this, topic] { withdraw(topic); });
    head->addWidget(close, 0, Qt::AlignTop);
    static_cast<QVBoxLayout*>(layout())->insertWidget(0, frame);
    frames_.insert(frames_.begin(), frame);
    while (count() > shownAtMost) remove(frames_.back());
    if (message.holds)
        connect(&messages_, &Messages::reviewed, frame, [this, frame, holds = message.holds] {
            if (!holds()) remove(frame);
        });
    if (message.newsIn)
        connect(&messages_, &Messages::left, frame, [this, frame, newsIn = *message.newsIn](Workspace workspace) {
            if (workspace == newsIn) remove(frame);
        });
    if (message.passing) QTimer::singleShot(passingMilliseconds, frame, [this, frame] { remove(frame); });
    setVisible(true);
    place();
    QAccessibleEvent alert(frame, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

}  // namespace shardlab::ui
