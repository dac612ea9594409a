// SPDX-License-Identifier: Apache-2.0
// The namespaces of Shardlab, one a wing, and which of them sees the names of which. A wing sees those below it, as its
// includes do; where two of them have a name, the wing above says which it means: trace::Place.
#pragma once

namespace shardlab::base {}

namespace shardlab::kernels {}

namespace shardlab::layout {
using namespace base;
}

namespace shardlab::trace {
using namespace layout;
}

namespace shardlab::predict {
using namespace trace;
}

namespace shardlab::launch {
using namespace predict;
}

namespace shardlab::train {
using namespace predict;
using namespace kernels;
}  // namespace shardlab::train

namespace shardlab::ui {
using namespace launch;
}

namespace shardlab::cli {
using namespace launch;
}

namespace shardlab::rank {
using namespace train;
using namespace launch;
}  // namespace shardlab::rank
