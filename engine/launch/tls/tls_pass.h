// SPDX-License-Identifier: Apache-2.0
// TLS for the links over which runs are watched and told. A listener makes a key and a certificate when it begins, and
// never writes them down. Its token names the certificate, so a caller knows whom it speaks to before it shows its
// secret, without any authority: "tls", the certificate's fingerprint (SHA-256 of its DER, 64 hexadecimal digits), the
// secret (32). A token of another form is a secret alone, and its link plain; so it is the token that decides, and
// nobody in between can talk a caller out of TLS. Version 1.3 alone, no tickets, no certificate of the caller.
#pragma once

#include "engine/base/result.h"
#include "engine/launch/link/link_pass.h"

#include <string>

namespace shardlab::launch {

enum class Protection : std::uint8_t { Tls, Plain };

/// A listener's pass, with a new secret. Errors: OpenSSL or the kernel does not make what it needs.
Result<LinkPass> makePass(Protection protection);
/// A caller's pass. Error: the token begins as one of TLS does, and is damaged.
Result<LinkPass> readPass(const std::string& token);

}  // namespace shardlab::launch
