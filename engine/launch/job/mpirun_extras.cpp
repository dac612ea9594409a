// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/mpirun_extras.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace shardlab::launch {
namespace {

bool isName(std::string_view name) {
    const auto isWord = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    return !name.empty() && std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
           std::ranges::all_of(name, isWord);
}

}  // namespace

bool MpirunExtras::sets(std::string_view parameter) const {
    return std::ranges::any_of(parameters, [&](const auto& own) { return own.first == parameter; });
}

Result<MpirunExtras> mpirunExtras(std::vector<std::string> variables, const std::vector<std::string>& parameters) {
    MpirunExtras extras;
    for (const std::string& variable : variables)
        if (!isName(std::string_view(variable).substr(0, variable.find('='))))
            return fail(Error{say("this is no variable of an environment"),
                              "--env " + variable,
                              {},
                              say("NAME, whose value is handed on, or NAME=VALUE")});
    extras.variables = std::move(variables);
    for (const std::string& parameter : parameters) {
        const std::size_t equals = parameter.find('=');
        const std::string name = parameter.substr(0, equals);
        if (equals == std::string::npos || !isName(name))
            return fail(Error{say("this is no parameter of Open MPI"),
                              "--mca " + parameter,
                              {},
                              say("NAME=VALUE, for instance pml=ucx; ompi_info --all lists them")});
        if (extras.sets(name))
            return fail(
                Error{say("a parameter of Open MPI is given twice"), "--mca " + parameter, {}, say("each name once")});
        extras.parameters.emplace_back(name, parameter.substr(equals + 1));
    }
    return extras;
}

bool reachesRanks(std::string_view name) {
    if (name.find("TOKEN") != std::string_view::npos) return false;
    static constexpr std::array prefixes{"SHARDLAB_", "NCCL_", "UCX_", "FI_"};
    return name == "LD_LIBRARY_PATH" ||
           std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace shardlab::launch
