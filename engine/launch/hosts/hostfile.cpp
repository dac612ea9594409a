// SPDX-License-Identifier: Apache-2.0
#include "engine/base/parse_text.h"
#include "engine/launch/hosts/host_list.h"

#include "engine/base/most_ranks.h"
#include "engine/base/visible_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

namespace shardlab::launch {
namespace {

/// "slots=4", "slots = 4" cut in words, and "max_slots=8", which says nothing here.
Result<int> slotsOf(std::span<const std::string_view> words, const std::string& where) {
    std::string text;
    for (const std::string_view word : words)
        text += text.empty() || word == "=" || text.back() == '=' ? std::string(word) : " " + std::string(word);
    int slots = 1;
    for (const std::string_view setting : wordsIn(text)) {
        const std::size_t equals = setting.find('=');
        const std::string_view key = setting.substr(0, equals);
        const std::string_view value =
            equals == std::string_view::npos ? std::string_view{} : setting.substr(equals + 1);
        const auto wrong = [&](Sentence why) {
            return fail(Error{say("wrong line in the hostfile"), where, std::move(why), say("NAME slots=N")});
        };
        if (key != "slots" && key != "max_slots" && key != "max-slots")
            return wrong(say("{} is no setting of a host", quoted(setting)));
        const auto number = parseNumber<int>(value);
        if (!number || *number < 1 || *number > mostRanks)
            return wrong(say("{} is no number of slots from 1 to {}", quoted(value), mostRanks));
        if (key == "slots") slots = *number;
    }
    return slots;
}

}  // namespace

Result<std::vector<HostSpec>> parseHostfile(std::string_view text, const std::string& file) {
    std::vector<HostSpec> hosts;
    int number = 0;
    std::int64_t all = 0;
    while (!text.empty()) {
        const std::string_view line = takePart(text, '\n');
        ++number;
        const std::vector<std::string_view> words = wordsIn(line.substr(0, line.find('#')));
        if (words.empty()) continue;
        const std::string where = fmt::format("{}, line {}", file, number);
        const auto slots = slotsOf(std::span(words).subspan(1), where);
        if (!slots) return fail(slots.error());
        all += *slots;
        if (all > mostRanks)
            return fail(Error{say("too many slots in the hostfile"), where, say("they are {}", all),
                              say("{} at most", mostRanks)});
        const auto known = std::ranges::find(hosts, words.front(), &HostSpec::name);
        if (known == hosts.end()) hosts.push_back({std::string(words.front()), *slots});
        else known->devices += *slots;
    }
    if (hosts.empty())
        return fail(Error{say("no host in the hostfile"), file, say("it has only blank lines and comments"),
                          say("NAME slots=N")});
    return hosts;
}

Result<std::vector<HostSpec>> takeDevices(const std::vector<HostSpec>& hosts, int ranks, const std::string& source) {
    std::vector<HostSpec> taken;
    int left = ranks;
    for (const HostSpec& host : hosts) {
        if (left <= 0) break;
        taken.push_back({host.name, std::min(host.devices, left)});
        left -= taken.back().devices;
    }
    if (left > 0)
        return fail(Error{say("too few slots"), source, say("{} of {} ranks find none", left, ranks),
                          say("{} slots, or smaller degrees", ranks)});
    return taken;
}

}  // namespace shardlab::launch
