// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/wings.h"

#include <stdexcept>

namespace shardlab::train {

/// A peer is gone, or a message is not what was agreed, so that the run cannot go on.
class CommunicationError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace shardlab::train
