// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/allowed_agents.h"

#include "engine/base/own_file.h"
#include "engine/base/resources.h"

#include <fmt/format.h>

namespace shardlab::launch {
namespace {

constexpr std::size_t largestFile = std::size_t{1} << 20;

/// What the user has allowed, a line each; empty where nothing was.
Result<std::string> remembered() {
    auto content = readOwnFile(allowedAgentsFile(), largestFile);
    if (!content) return fail(content.error());
    std::string lines = std::move(*content).value_or(std::string());
    if (!lines.empty() && lines.back() != '\n') lines += '\n';
    return lines;
}

bool hasLine(const std::string& lines, std::string_view text) {
    return ("\n" + lines).find(fmt::format("\n{}\n", text)) != std::string::npos;
}

}  // namespace

std::filesystem::path allowedAgentsFile() { return configurationFolder() / "agents"; }

Result<bool> agentIsAllowed(std::string_view text) {
    if (const auto agent = Agent::parse(text); !agent) return fail(agent.error());
    if (Agent::isDefault(text) || text == slurmAgent) return true;
    return remembered().transform([&](const std::string& lines) { return hasLine(lines, text); });
}

Result<Agent> allowedAgent(std::string_view text, std::string_view named) {
    auto agent = Agent::parse(text);
    if (!agent || (text == named && !named.empty())) return agent;
    const auto allowed = agentIsAllowed(text);
    if (!allowed) return fail(allowed.error());
    if (*allowed) return agent;
    return fail(
        Error{say("the layout names a program that would be started, and you have not allowed it"), "/cluster/agent",
              std::string(text),
              say("if you know it: run or doctor with --agent {}, and with --remember-agent to allow it for good",
                  shellQuoted(text))});
}

Status allowAgent(std::string_view text) {
    if (const auto agent = Agent::parse(text); !agent) return fail(agent.error());
    const auto lines = remembered();
    if (!lines) return fail(lines.error());
    if (Agent::isDefault(text) || hasLine(*lines, text)) return {};
    std::error_code problem;
    std::filesystem::create_directories(configurationFolder(), problem);
    if (problem)
        return fail({say("cannot make the folder"), configurationFolder().string(), systemReason(problem.value()), ""});
    return replaceOwnFile(allowedAgentsFile(), fmt::format("{}{}\n", *lines, text));
}

}  // namespace shardlab::launch
