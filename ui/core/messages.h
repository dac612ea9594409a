// SPDX-License-Identifier: GPL-3.0-or-later
// What the program has to say: shown in the window without blocking it, one place for every error.
#pragma once

#include "engine/base/result.h"
#include "ui/core/view.h"

#include <QObject>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace shardlab::ui {

enum class MessageLevel { Info, Warning, Error };

struct MessageChoice {
    QString label;  ///< of its button
    std::function<void()> act;
};

struct Message {
    MessageLevel level = MessageLevel::Info;
    QString title;   ///< what happened
    QString detail;  ///< where, why, what would be legal
    std::vector<MessageChoice> choices = {};
    /// A newer message of the same topic takes its place: "run", "file". Empty: of no topic.
    QString topic = {};
    /// Whether what it tells is still so; it is taken away once that is not. Empty: until it is put away.
    std::function<bool()> holds = {};
    /// Where it is news: seen there, it goes with the person who leaves. Empty: it follows to every workspace.
    std::optional<Workspace> newsIn = {};
    /// Asks for nothing, and goes by itself after a while.
    bool passing = false;
};

class Messages : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    void post(const Message& message) { Q_EMIT posted(message); }
    /// `doing`: "Cannot open x.shardlab".
    void post(const QString& doing, const Error& error, const QString& topic, std::function<bool()> holds = {});
    /// Takes the topic's message away.
    void withdraw(const QString& topic) { Q_EMIT withdrawn(topic); }
    /// Takes away what no longer holds: call it where something changed that messages tell of.
    void review() { Q_EMIT reviewed(); }
    /// The person leaves this workspace for another one.
    void leave(Workspace workspace) { Q_EMIT left(workspace); }

Q_SIGNALS:
    void posted(const shardlab::ui::Message& message);
    void withdrawn(const QString& topic);
    void reviewed();
    void left(shardlab::ui::Workspace workspace);
};

}  // namespace shardlab::ui
