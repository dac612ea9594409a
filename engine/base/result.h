// SPDX-License-Identifier: Apache-2.0
// Expected failures are values. An exception ends the run; an assert is our own bug.
#pragma once

#include "engine/base/sentence.h"

#include <string>
#include <tl/expected.hpp>

namespace shardlab::base {

/// One clear error for a person: what failed, where (file, JSON pointer, rank …), why, and what would be legal. Only
/// `what` is always there; empty parts are left out of the text.
struct Error {
    Sentence what;
    Sentence where;
    Sentence why;
    Sentence legal;

    /// "what (where): why. legal"
    Sentence told() const;
    /// told() in English.
    std::string text() const { return told().english(); }
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// What the system says of an errno, "No such file or directory".
Sentence systemReason(int code);

inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace shardlab::base
