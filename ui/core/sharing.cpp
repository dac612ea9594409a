// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/core/sharing.h"

#include "engine/launch/tls/tls_pass.h"

namespace shardlab::ui {

Status Sharing::begin(const TcpAddress& address) {
    auto pass = makePass(Protection::Tls);
    if (!pass) return fail(pass.error());
    ServeOptions options{.address = address, .pass = std::move(*pass)};
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
