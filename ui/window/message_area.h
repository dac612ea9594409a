// SPDX-License-Identifier: GPL-3.0-or-later
// Messages in the window: under the top bar, newest first, each with its choices and a way to put it away. Passing
// ones lie over the views instead.
#pragma once

#include "ui/core/messages.h"

#include <QWidget>

#include <vector>

namespace shardlab::ui {

class MessageArea : public QWidget {
    Q_OBJECT
public:
    /// `views`: what lies below, in the same window.
    MessageArea(Messages& messages, QWidget& views, QWidget* parent);
    int count() const { return static_cast<int>(frames_.size()); }
    /// Title and detail of each, newest first.
    QStringList texts() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void show(const Message& message);
    void withdraw(const QString& topic);
    void remove(QWidget* frame);
    void placePassing();
    Messages& messages_;
    QWidget& views_;
    QWidget* passing_;
    std::vector<QWidget*> frames_;  ///< newest first
    int anonymous_ = 0;             ///< messages without a topic, so far
};

}  // namespace shardlab::ui
