// SPDX-License-Identifier: Apache-2.0
// Expected failures are values. An exception ends the run; an assert is our own bug.
#pragma once

#include "engine/base/wings.h"

#include <string>
#include <tl/expected.hpp>

namespace shardlab::base {

/// One clear error for a person: what failed, where (file, JSON pointer, rank …), why, and what would be legal.
/// An error says what happened, where, why, and what would be legal. Only `what` is always there; empty parts are left
/// out of the text.
struct Error {
    std::string what;
    std::string where;
    std::string why;
    std::string legal;

    /// "what: where: why. legal" on one line.
    std::string text() const;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace shardlab::base
