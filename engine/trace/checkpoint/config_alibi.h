// SPDX-License-Identifier: Apache-2.0
// The rows of config_fields.h of models whose scores fall with the distance.
#pragma once

#include "engine/trace/checkpoint/config_experts.h"

namespace shardlab::trace {

class AlibiRows : protected ExpertRows {
protected:
    using ExpertRows::ExpertRows;

    /// A Bloom has the blocks of a gpt with ALiBi, and behind its token embedding a norm, which no layout's model has.
    void bloom();
    /// An Mpt has those blocks without biases, and norms without a shift, which no layout's model has either.
    void mpt();

private:
    void alibi(bool theirs, const char* name);
    /// The first of two names of a number that is there, or where neither is the first.
    std::string named(const char* name, const char* other);
};

}  // namespace shardlab::trace
