// SPDX-License-Identifier: Apache-2.0
// A layout that is refused for one thing, and why the refusal is right. refusals_test tries all of them.
#pragma once

#include "engine/layout/layout.h"
#include "tests/support/wings.h"

#include <cstdint>

namespace shardlab::test {

/// False for the layout that is refused, true for each that the refusal calls legal.
using Premise = bool (*)(const Layout&);
using Change = void (*)(Layout&);

enum class ReasonKind : std::uint8_t {
    Contradiction,  ///< the arithmetic cannot hold: `says` is what would have to
    Pointless,      ///< what is planned is, to the byte, what a legal layout gives: the one without the field's effect
    WithoutGain,    ///< no rank needs less memory than in that layout, no step is shorter, and not a byte less is sent
    Wrong,          ///< the definition of a method forbids it: `says` is the method and the property that would break
    Absent,         ///< a device, a file, a format or a library has nothing of the kind: `says` is what is missing
    NotBuilt,       ///< nothing forbids it: `says` is what would have to be built
};

struct Reason {
    ReasonKind kind;
    const char* says = "";
    Premise holds = nullptr;  ///< for a contradiction, what is wrong and what is absent
    /// What is pointless and without gain: leads to the legal layout to compare with; null: what is called legal first.
    Change without = nullptr;
};

constexpr Reason contradiction(const char* quantity, Premise holds) {
    return {ReasonKind::Contradiction, quantity, holds};
}
constexpr Reason wrong(const char* property, Premise holds) { return {ReasonKind::Wrong, property, holds}; }
constexpr Reason absent(const char* thing, Premise holds) { return {ReasonKind::Absent, thing, holds}; }
constexpr Reason pointless(Change without = nullptr) { return {ReasonKind::Pointless, "", nullptr, without}; }
constexpr Reason withoutGain() { return {ReasonKind::WithoutGain}; }
constexpr Reason notBuilt(const char* work) { return {ReasonKind::NotBuilt, work}; }

/// The default layout, legal as it is, changed in as few fields as bring the refusal out. All faults are at `pointer`,
/// and one of them has `legal` in what it calls legal.
struct Refusal {
    const char* name;
    Change change;
    const char* pointer;
    const char* legal;
    Reason reason;
};

}  // namespace shardlab::test
