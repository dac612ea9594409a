// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/layout/layout.h"
#include "tests/support/wings.h"

#include <functional>

namespace shardlab::test {

/// A legal layout, changed at one place: the only fault is at `pointer` and its legal part says `legal`.
struct SingleFault {
    const char* name;
    std::function<void(Layout&)> change;
    const char* pointer;
    const char* legal;
};

}  // namespace shardlab::test
