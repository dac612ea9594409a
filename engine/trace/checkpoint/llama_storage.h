// SPDX-License-Identifier: Apache-2.0
// How files of a Llama's relatives hold what other files hold otherwise.
#pragma once

namespace shardlab::trace {

struct LlamaStorage {
    bool fused = false;  ///< queries, keys and values are one tensor, and so are gates and values
    bool pairs = false;  ///< turned numbers of a head are pairs of neighbours instead of two halves
};

}  // namespace shardlab::trace
