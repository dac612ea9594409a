// SPDX-License-Identifier: GPL-3.0-or-later
// Messages in the window: under the top bar, newest first, each with its choices and a way to put it away.
#pragma once

#include "ui/core/messages.h"

#include <QWidget>

class QVBoxLayout;

namespace shardlab::ui {

class MessageArea : public QWidget {
    Q_OBJECT
public:
    MessageArea(Messages& messages, QWidget* parent);
    int count() const;
    /// Title and detail of each, newest first.
    QStringList texts() const;

private:
    void show(const Message& message);
    void withdraw(const QString& topic);
    void remove(QWidget* frame);
    Messages& messages_;
    QVBoxLayout* column_;
    int anonymous_ = 0;  ///< messages without a topic, so far
};

}  // namespace shardlab::ui
