// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/injected_fault.h"

#include "engine/base/parse_text.h"
#include "engine/layout/suggest.h"

#include <array>
#include <fmt/format.h>

namespace shardlab::layout {
namespace {

constexpr std::array<std::string_view, 3> faultWords{"kill", "hang", "slow"};
constexpr std::string_view form = phrase("kill 1 after 12, hang 1 after 12 or slow 1 after 12 by 2.5");

tl::unexpected<Error> wrong(std::string_view text, Sentence why, Sentence legal = termOf(form)) {
    return fail({say("no fault that can be brought about"), std::string(text), std::move(why), std::move(legal)});
}

}  // namespace

std::string_view name(InjectedFaultKind kind) { return faultWords[static_cast<std::size_t>(kind)]; }

std::string toText(const InjectedFault& fault) {
    std::string text = fmt::format("{} {} after {}", name(fault.kind), fault.rank, fault.after);
    if (fault.kind == InjectedFaultKind::Slow) text += fmt::format(" by {}", fault.factor);
    return text;
}

Result<InjectedFault> parseInjectedFault(std::string_view text) {
    const std::vector<std::string_view> words = wordsIn(text, " ");
    if (words.empty()) return wrong(text, say("it says nothing"));
    std::size_t kind = 0;
    while (kind < faultWords.size() && faultWords[kind] != words[0]) ++kind;
    if (kind == faultWords.size())
        return wrong(text, say("'{}' is no fault", words[0]),
                     legalWords(words[0], {faultWords.begin(), faultWords.end()}));
    InjectedFault fault;
    fault.kind = static_cast<InjectedFaultKind>(kind);
    const bool slow = fault.kind == InjectedFaultKind::Slow;
    if (words.size() != (slow ? 6u : 4u) || words[2] != "after" || (slow && words[4] != "by"))
        return wrong(text, say("it has another form"),
                     slow ? say("slow RANK after STEPS by FACTOR") : say("{} RANK after STEPS", words[0]));
    const auto rank = parseNumber<int>(words[1]), after = parseNumber<int>(words[3]);
    if (!rank) return wrong(text, say("'{}' is no rank", words[1]));
    if (!after) return wrong(text, say("'{}' is no number of steps", words[3]));
    fault.rank = *rank;
    fault.after = *after;
    if (!slow) return fault;
    const auto factor = parseNumber<double>(words[5]);
    if (!factor || !(*factor >= 1 && *factor <= largestSlowdown))
        return wrong(text, say("'{}' is no factor by which computing takes longer", words[5]),
                     say("1 to {}", largestSlowdown));
    fault.factor = *factor;
    return fault;
}

std::vector<InjectedFault> injectedFaults(std::span<const std::string> texts) {
    std::vector<InjectedFault> faults;
    for (const std::string& text : texts)
        if (const auto fault = parseInjectedFault(text)) faults.push_back(*fault);
    return faults;
}

}  // namespace shardlab::layout
