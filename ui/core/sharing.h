// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the runs that start here can be watched from other machines: where, and with which token. The token is never
// written down; it is another one each time sharing begins.
#pragma once

#include "engine/launch/serve/run_server.h"

#include <QObject>

#include <optional>

namespace shardlab::ui {

class Sharing : public QObject {
    Q_OBJECT
public:
    /// Runs that start from now on are served there, over TLS. Errors: those of listenTcp, which is tried at once.
    Status begin(const TcpAddress& address);
    /// A run that is being served stays so to its end.
    void end();
    bool on() const { return options_.has_value(); }
    /// What serves a run that starts; empty while nothing is shared.
    const std::optional<ServeOptions>& options() const { return options_; }

Q_SIGNALS:
    void changed();

private:
    std::optional<ServeOptions> options_;
};

}  // namespace shardlab::ui
