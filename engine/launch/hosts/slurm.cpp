// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parse_text.h"
#include "engine/launch/hosts/host_list.h"

#include "engine/base/most_ranks.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace shardlab::launch {
namespace {

constexpr std::size_t mostHosts = mostRanks;

Error wrongList(std::string_view list, Sentence why) {
    return Error{say("cannot read a list of Slurm"), std::string(list.substr(0, 200)), std::move(why),
                 "node[01-03,7],login"};
}

std::optional<int> unsignedNumber(std::string_view text) {
    return text.starts_with('-') ? std::nullopt : parseNumber<int>(text);
}

/// Cut at the commas that stand outside brackets.
std::vector<std::string_view> parts(std::string_view list) {
    std::vector<std::string_view> found;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i < list.size() && list[i] == '[') ++depth;
        if (i < list.size() && list[i] == ']') --depth;
        if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
        found.push_back(list.substr(begin, i - begin));
        begin = i + 1;
    }
    return found;
}

/// "01-03,7" as 01, 02, 03, 7; nothing where it is no list of numbers.
std::optional<std::vector<std::string>> numbersOf(std::string_view ranges) {
    std::vector<std::string> found;
    for (const std::string_view range : parts(ranges)) {
        const std::size_t dash = range.find('-');
        const std::string_view from = range.substr(0, dash);
        const std::string_view to = dash == std::string_view::npos ? from : range.substr(dash + 1);
        const auto first = unsignedNumber(from);
        const auto last = unsignedNumber(to);
        if (!first || !last || *last < *first || static_cast<std::size_t>(*last - *first) >= mostHosts - found.size())
            return std::nullopt;
        for (int number = *first; number <= *last; ++number)
            found.push_back(fmt::format("{:0{}}", number, from.size()));
    }
    return found;
}

/// "rack[1-2]node[01-10]": every combination, the last bracket fastest.
Result<std::vector<std::string>> namesOf(std::string_view part) {
    std::vector<std::string> names{""};
    while (!part.empty()) {
        const std::size_t open = std::min(part.find('['), part.size());
        for (std::string& name : names) name += part.substr(0, open);
        part.remove_prefix(open);
        if (part.empty()) break;
        const std::size_t close = part.find(']');
        if (close == std::string_view::npos) return fail(wrongList(part, say("a bracket is not closed")));
        const auto numbers = numbersOf(part.substr(1, close - 1));
        if (!numbers) return fail(wrongList(part, say("in brackets stand numbers and ranges of them, ascending")));
        if (names.size() * numbers->size() > mostHosts)
            return fail(wrongList(part, say("it names more than {} hosts", mostHosts)));
        std::vector<std::string> longer;
        for (const std::string& name : names)
            for (const std::string& number : *numbers) longer.push_back(name + number);
        names = std::move(longer);
        part.remove_prefix(close + 1);
    }
    if (names.front().empty()) return fail(wrongList(part, say("a name is empty")));
    return names;
}

}  // namespace

Result<std::vector<std::string>> expandNodelist(std::string_view list) {
    std::vector<std::string> names;
    for (const std::string_view part : parts(list)) {
        if (part.find(']') < part.find('['))
            return fail(wrongList(list, say("a bracket is closed that was not opened")));
        auto more = namesOf(part);
        if (!more) return fail(more.error());
        if (names.size() + more->size() > mostHosts)
            return fail(wrongList(list, say("it names more than {} hosts", mostHosts)));
        names.insert(names.end(), more->begin(), more->end());
    }
    return names;
}

Result<std::vector<int>> expandCounts(std::string_view counts) {
    std::vector<int> found;
    for (const std::string_view part : parts(counts)) {
        const std::size_t times = part.find("(x");
        const bool repeated = times != std::string_view::npos;
        const auto count = unsignedNumber(part.substr(0, times));
        const auto repeats = repeated && part.back() == ')'
                                 ? unsignedNumber(part.substr(times + 2, part.size() - times - 3))
                                 : std::optional(1);
        if (!count || !repeats || *count < 1 || *repeats < 1 || (repeated && part.back() != ')') ||
            static_cast<std::size_t>(*repeats) > mostHosts - found.size())
            return fail(Error{say("cannot read a list of Slurm"), std::string(counts.substr(0, 200)),
                              say("it holds counts, each with how many nodes have it"), "2(x3),1"});
        found.insert(found.end(), static_cast<std::size_t>(*repeats), *count);
    }
    return found;
}

Result<std::vector<HostSpec>> slurmHosts(const std::function<const char*(const char*)>& variable) {
    const char* list = variable("SLURM_JOB_NODELIST");
    if (list == nullptr || *list == '\0')
        return fail(Error{say("there is no Slurm allocation"), "SLURM_JOB_NODELIST", say("it is not set"),
                          say("start this from within salloc or sbatch, or name hosts with --hostfile")});
    const auto names = expandNodelist(list);
    if (!names) return fail(names.error());
    const char* name = "SLURM_TASKS_PER_NODE";
    if (variable(name) == nullptr) name = "SLURM_JOB_CPUS_PER_NODE";
    const char* text = variable(name);
    if (text == nullptr)
        return fail(Error{say("the Slurm allocation does not say its slots"), "SLURM_TASKS_PER_NODE",
                          say("it is not set"), say("salloc --ntasks-per-node=N")});
    const auto counts = expandCounts(text);
    if (!counts) return fail(counts.error());
    if (counts->size() != names->size())
        return fail(Error{say("the Slurm allocation contradicts itself"),
                          name,
                          say("\"{}\" are {} nodes, SLURM_JOB_NODELIST names {}", text, counts->size(), names->size()),
                          {}});
    std::vector<HostSpec> hosts;
    for (std::size_t i = 0; i < names->size(); ++i) hosts.push_back({(*names)[i], (*counts)[i]});
    return hosts;
}

}  // namespace shardlab::launch
