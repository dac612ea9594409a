// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/check_rules.h"

namespace shardlab {
namespace {

/// One line a method that the layout can name and the engine cannot run yet; the line goes when the method comes.
struct Unbuilt {
    const char* pointer;
    const char* what;
    const char* legal;
    bool (*asked)(const Layout&);
};

constexpr Unbuilt unbuilt[] = {
    {"/parallel/expert", "expert parallelism", "1", [](const Layout& l) { return l.parallel.expert > 1; }},
    {"/parallel/context", "context parallelism", "1", [](const Layout& l) { return l.parallel.context > 1; }},
};

}  // namespace

void checkBuilt(const Layout& layout, std::vector<Fault>& faults) {
    for (const Unbuilt& method : unbuilt)
        if (method.asked(layout))
            faults.push_back({method.pointer, std::string(method.what) + " is not built yet",
                              "this version knows the field but cannot run the method", method.legal});
}

}  // namespace shardlab
