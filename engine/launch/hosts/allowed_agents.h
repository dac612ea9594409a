// SPDX-License-Identifier: Apache-2.0
// Which agents may be started. A layout may come from anywhere, and its agent is a command line: it is carried out only
// where the user has named the same text, now or once before.
#pragma once

#include "engine/launch/hosts/agent.h"

#include <filesystem>

namespace shardlab::launch {

/// "agents" in the configuration folder: each line is the exact text of an agent that the user has allowed. The file
/// need not exist.
std::filesystem::path allowedAgentsFile();

/// Whether `text` may be started without a question: it is empty (ssh), Slurm's own, or a line of that file. Errors:
/// the text is no agent, or the file is not this user's own.
Result<bool> agentIsAllowed(std::string_view text);

/// The agent of that text, where it is allowed or the same as `named`, which the user has given for this run. Errors:
/// those of agentIsAllowed(), and one that shows the text and says how it is allowed.
Result<Agent> allowedAgent(std::string_view text, std::string_view named);

/// Allows the agent from now on. Errors: the text is no agent, the file cannot be read or written.
Status allowAgent(std::string_view text);

}  // namespace shardlab::launch
