// SPDX-License-Identifier: Apache-2.0
#include "engine/parallel/tied.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace shardlab {

void sumTiedGradients(std::span<const std::span<Parameter>> stages, Communicator& ends) {
    std::map<std::string, std::vector<Parameter*>> copies;  // of one weight on this rank
    for (const std::span<Parameter>& stage : stages)
        for (Parameter& parameter : stage)
            if (parameter.tied) copies[parameter.name].push_back(&parameter);
    for (auto& [name, held] : copies) {
        const std::span<float> sum = held.front()->gradient;
        for (std::size_t i = 1; i < held.size(); ++i)
            for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += held[i]->gradient[k];
        if (ends.size() > 1) ends.allReduce(sum, ReduceOp::Sum);
        for (std::size_t i = 1; i < held.size(); ++i) std::ranges::copy(sum, held[i]->gradient.begin());
    }
}

}  // namespace shardlab
