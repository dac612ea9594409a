// SPDX-License-Identifier: Apache-2.0
// Tests see the names of all wings; where two of them have a name, a test says which it means.
#pragma once

#include "engine/base/wings.h"

namespace shardlab::test {
using namespace ui;
using namespace train;
}  // namespace shardlab::test

namespace shardlab::fuzz {
using namespace test;
}

namespace shardlab::sample {
using namespace test;
}

namespace shardlab::emulation {
using namespace kernels;
}

namespace shardlab::conformance {
using namespace test;
}
