// SPDX-License-Identifier: GPL-3.0-or-later
// Messages in the window, newest first, each with its choices and a way to put it away. They lie over the views' lower
// right corner: what a person looks at, or is about to click, stays where it is.
#pragma once

#include "ui/core/messages.h"

#include <QWidget>

#include <vector>

class QFrame;
class QLabel;
class QPushButton;

namespace shardlab::ui {

class MessageArea : public QWidget {
    Q_OBJECT
public:
    /// `views`: what lies below, in the window `parent`.
    MessageArea(Messages& messages, QWidget& views, QWidget* parent);
    int count() const { return static_cast<int>(frames_.size()); }
    /// Title and detail of each, newest first.
    QStringList texts() const;

protected:
    /// What messages need is known once they have their fonts.
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void show(const Message& message);
    void withdraw(const QString& topic);
    void remove(QWidget* frame);
    QPushButton* allButton(QFrame& frame, QLabel& detail, const Message& message);
    void place();
    Messages& messages_;
    QWidget& views_;
    std::vector<QWidget*> frames_;  ///< newest first
    int anonymous_ = 0;             ///< messages without a topic, so far
};

}  // namespace shardlab::ui
