// SPDX-License-Identifier: Apache-2.0
// What Megatron-LM prints of its arguments when it begins: _print_args() of megatron/training/arguments.py.
#pragma once

#include "engine/trace/trainers/shell_words.h"
#include "tests/support/megatron_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shardlab::test {

/// The log of a training that was started by `script`, on as many ranks.
inline std::string megatronLog(std::string_view script, int world) {
    // Some that are there whether they were given or not.
    std::map<std::string, std::string> arguments{{"world_size", std::to_string(world)},
                                                 {"num_query_groups", "1"},
                                                 {"moe_layer_freq", "1"},
                                                 {"lr_warmup_samples", "0"},
                                                 {"lr_warmup_iters", "0"},
                                                 {"add_bias_linear", "True"},
                                                 {"bias_gelu_fusion", "True"},
                                                 {"rank", "0"},
                                                 {"params_dtype", "torch.bfloat16"},
                                                 {"padded_vocab_size", "None"}};
    const std::map<std::string, std::string> takingAway{{"disable-bias-linear", "add_bias_linear"},
                                                        {"no-bias-gelu-fusion", "bias_gelu_fusion"}};
    const std::map<std::string, std::string> otherNames{
        {"fp8-format", "fp8"},
        {"fp4-format", "fp4"},
        {"num-virtual-stages-per-pipeline-rank", "virtual_pipeline_model_parallel_size"}};
    for (const MegatronOption& option : megatronOptions)
        if (!takingAway.contains(std::string(option.name.substr(2)))) {
            std::string name(option.name.substr(2));
            if (const auto other = otherNames.find(name); other != otherNames.end()) name = other->second;
            std::ranges::replace(name, '-', '_');
            arguments.emplace(name, option.values == 0 ? "False" : "None");
        }
    for (const std::vector<std::string>& command : shellCommands(script))
        for (std::size_t i = 0; i < command.size(); ++i) {
            const MegatronOption* known = findMegatronOption(command[i]);
            if (known == nullptr) continue;
            std::string name = command[i].substr(2);
            if (const auto away = takingAway.find(name); away != takingAway.end()) {
                arguments[away->second] = "False";
                continue;
            }
            if (const auto other = otherNames.find(name); other != otherNames.end()) name = other->second;
            std::ranges::replace(name, '-', '_');
            std::vector<std::string> values;
            while (i + 1 < command.size() && !command[i + 1].starts_with("--")) values.push_back(command[++i]);
            std::string text = known->values == 0 ? "True" : values.empty() ? "" : values.front();
            // Numbers and lists of one are printed as they are, lists of words as Python has them.
            if (known->values < 0 && (name == "data_path" || name == "cp_comm_type" || name == "recompute_modules"))
                text = fmt::format("['{}']", fmt::join(values, "', '"));
            arguments[name] = text;
        }
    std::string log = "using world size: … \n------------------------ arguments ------------------------\n";
    for (const auto& [name, value] : arguments)
        log +=
            fmt::format("  {} {} {}\n", name, std::string(std::max(0, 48 - static_cast<int>(name.size())), '.'), value);
    return log + "-------------------- end of arguments ---------------------\n> building …\n";
}

}  // namespace shardlab::test
