// SPDX-License-Identifier: Apache-2.0
// What both ends of a link share beforehand. The wing's other rooms know it as it stands here; only launch/tls, which
// makes it, knows OpenSSL, and shardlab-rank is linked without both.
#pragma once

#include "engine/trace/record/frame_link.h"

#include <memory>
#include <string>

namespace shardlab::launch {

/// How one end protects the connections that it takes or makes.
class LinkSecurity {
public:
    virtual ~LinkSecurity() = default;
    /// For one connection, new for each.
    virtual std::unique_ptr<Transport> transport() const = 0;
};

struct LinkPass {
    std::string token;                               ///< what people hand on, all in one
    std::string secret;                              ///< the part of it that a caller shows
    std::shared_ptr<const LinkSecurity> security{};  ///< none: the link is plain
};

/// A link without encryption: the token is the secret.
inline LinkPass plainPass(const std::string& secret) { return {secret, secret}; }

}  // namespace shardlab::launch
