// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/tied.h"

namespace shardlab {

void sumTiedGradients(std::span<Parameter> parameters, Communicator& ends) {
    for (Parameter& parameter : parameters)
        if (parameter.tied) ends.allReduce(parameter.gradient, ReduceOp::Sum);
}

}  // namespace shardlab
