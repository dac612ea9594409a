// SPDX-License-Identifier: Apache-2.0
// An exception that ends a run, and says why in a sentence.
#pragma once

#include "engine/base/sentence.h"

#include <exception>
#include <stdexcept>

namespace shardlab::base {

class Failure : public std::runtime_error {
public:
    explicit Failure(const Sentence& said) : std::runtime_error(said.english()), said_(said) {}
    const Sentence& said() const { return said_; }

private:
    Sentence said_;
};

/// What an exception says: a sentence where it is a Failure.
inline Sentence saidBy(const std::exception& exception) {
    const auto* failure = dynamic_cast<const Failure*>(&exception);
    return failure != nullptr ? failure->said() : Sentence(exception.what());
}

}  // namespace shardlab::base
