// SPDX-License-Identifier: Apache-2.0
// The arguments that Megatron-LM, Megatron-DeepSpeed and their like print at the beginning of a training's log.
#pragma once

#include "engine/base/wings.h"

#include <optional>
#include <string>
#include <string_view>

namespace shardlab::trace {

struct LoggedArgument {
    std::string_view name;   ///< "num_layers": the name in the program, not on its command line
    std::string_view value;  ///< "32", "True", "None", "['p2p']"
};
/// The argument of a line such as "  num_layers ......... 32", whatever a launcher has put before it.
std::optional<LoggedArgument> loggedArgument(std::string_view line);

/// The arguments of the log as options of pretrain_gpt.py that mean the same; none: the text has no list of arguments.
std::optional<std::string> optionsOfLog(std::string_view log);

}  // namespace shardlab::trace
