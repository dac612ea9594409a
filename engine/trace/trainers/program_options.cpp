// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/trainers/program_options.h"

#include "engine/base/visible_text.h"
#include "engine/trace/trainers/launched_ranks.h"
#include "engine/trace/trainers/shell_words.h"
#include "engine/trace/trainers/trainer_text.h"

#include <algorithm>
#include <limits>

namespace shardlab::trace {

ProgramOptions::ProgramOptions(std::string_view script) {
    for (const std::vector<std::string>& command : shellCommands(script, slurmVariables(script))) {
        Given* given = nullptr;
        for (const std::string& word : command) {
            if (!word.starts_with("--") || word.size() == 2) {
                if (given != nullptr) given->values.push_back(word);
                continue;
            }
            const std::size_t equals = word.find('=');
            std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
            std::ranges::replace(name, '_', '-');
            given = &options_[name];
            *given = {};
            if (equals != std::string::npos) given->values.push_back(word.substr(equals + 1));
        }
    }
}

ProgramOptions::Given* ProgramOptions::find(const std::string& name) {
    const auto found = options_.find(name);
    return found == options_.end() ? nullptr : &found->second;
}

bool ProgramOptions::flag(const std::string& name) {
    Given* given = find(name);
    if (given != nullptr) given->understood = true;
    return given != nullptr;
}

std::vector<std::string> ProgramOptions::all(const std::string& name) {
    Given* given = find(name);
    if (given == nullptr) return {};
    given->understood = true;
    return given->values;
}

std::optional<std::string> ProgramOptions::text(const std::string& name) {
    Given* given = find(name);
    if (given == nullptr || given->values.empty()) return std::nullopt;
    given->understood = true;
    return given->values.front();
}

std::optional<std::int64_t> ProgramOptions::whole(const std::string& name) {
    Given* given = find(name);
    if (given == nullptr || given->values.empty()) return std::nullopt;
    const auto value = parseNumber<std::int64_t>(given->values.front());
    given->understood = value.has_value();
    return value;
}

std::optional<int> ProgramOptions::integer(const std::string& name) {
    const auto value = whole(name);
    if (!value) return std::nullopt;
    if (*value >= 0 && *value <= std::numeric_limits<int>::max()) return static_cast<int>(*value);
    find(name)->understood = false;
    return std::nullopt;
}

std::optional<double> ProgramOptions::number(const std::string& name) {
    Given* given = find(name);
    if (given == nullptr || given->values.empty()) return std::nullopt;
    const auto value = readNumber(given->values.front());
    given->understood = value.has_value();
    return value;
}

void ProgramOptions::pass(const std::string& name) { flag(name); }

bool ProgramOptions::read(const std::string& name, int& value) {
    const auto given = integer(name);
    if (given) value = *given;
    return given.has_value();
}

bool ProgramOptions::read(const std::string& name, double& value) {
    const auto given = number(name);
    if (given) value = *given;
    return given.has_value();
}

std::vector<Sentence> ProgramOptions::leftOver() const {
    std::vector<Sentence> lines;
    for (const auto& [name, given] : options_) {
        if (given.understood) continue;
        std::string values;
        for (const std::string& value : given.values) values += " " + value;
        lines.push_back(say("--{}{} is left out", shortened(name), shortened(values)));
    }
    return lines;
}

}  // namespace shardlab::trace
