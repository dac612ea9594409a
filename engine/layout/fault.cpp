// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fault.h"

namespace shardlab::layout {

std::string toText(const Fault& fault) {
    std::string text = fault.pointer.empty() ? fault.what.english() : fault.pointer + ": " + fault.what.english();
    if (!fault.why.empty()) text += ": " + fault.why.english();
    if (!fault.legal.empty()) text += ". Legal: " + fault.legal.english();
    if (!fault.picture.empty()) text += "\n" + fault.picture;
    return text;
}

std::string toText(const std::vector<Fault>& faults) {
    std::string text;
    for (const Fault& fault : faults) text += toText(fault) + "\n";
    return text;
}

}  // namespace shardlab::layout
