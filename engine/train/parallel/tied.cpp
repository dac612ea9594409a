// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/tied.h"

#include <map>
#include <string>
#include <vector>

namespace shardlab::train {

void sumTiedGradients(std::span<const std::span<Parameter>> stages, Communicator& ends, Device& device) {
    std::map<std::string, std::vector<Parameter*>> copies;  // by name, the copies of a weight on this rank
    for (const std::span<Parameter>& stage : stages)
        for (Parameter& parameter : stage)
            if (parameter.tied) copies[parameter.name].push_back(&parameter);
    for (auto& [name, held] : copies) {
        const ArraySpan sum = held.front()->gradient;
        const auto count = static_cast<std::int64_t>(sum.size());
        for (std::size_t i = 1; i < held.size(); ++i) device.add(count, held[i]->gradient.data(), sum.data());
        if (ends.size() > 1) ends.allReduce(sum, ReduceOp::Sum);
        for (std::size_t i = 1; i < held.size(); ++i)
            device.copy(sum.data().data, held[i]->gradient.data().data, sum.bytes().size());
    }
}

}  // namespace shardlab::train
