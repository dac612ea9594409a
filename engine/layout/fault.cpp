// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fault.h"

namespace shardlab::layout {

Sentence sentenceOf(const Fault& fault) {
    Sentence text = fault.pointer.empty() ? fault.what : say("{}: {}", fault.pointer, fault.what);
    if (!fault.why.empty()) text = say("{}: {}", text, fault.why);
    return fault.legal.empty() ? text : say("{}. Legal: {}", text, fault.legal);
}

std::string toText(const Fault& fault) {
    return sentenceOf(fault).english() + (fault.picture.empty() ? "" : "\n" + fault.picture);
}

std::string toText(const std::vector<Fault>& faults) {
    std::string text;
    for (const Fault& fault : faults) text += toText(fault) + "\n";
    return text;
}

}  // namespace shardlab::layout
