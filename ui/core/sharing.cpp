// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/sharing.h"

#include "engine/base/token.h"

namespace shardlab::ui {

Status Sharing::begin(const TcpAddress& address) {
    auto token = randomToken();
    if (!token) return fail(token.error());
    ServeOptions options{.address = address, .token = std::move(*token)};
    if (const auto tried = RunServer::listen(options); !tried) return fail(tried.error());
    options_ = std::move(options);
    Q_EMIT changed();
    return {};
}

void Sharing::end() {
    if (!options_) return;
    options_.reset();
    Q_EMIT changed();
}

}  // namespace shardlab::ui
