// SPDX-License-Identifier: Apache-2.0
#include "app/cli/waterfall_print.h"

#include "app/cli/print.h"
#include "engine/base/units.h"

#include <nlohmann/json.hpp>

namespace shardlab::cli {

std::string waterfallText(const Waterfall& fall) {
    Table table({"where the step goes", "takes", "of the step", "together"});
    double together = 0;
    for (std::size_t i = 0; i < waterfallParts; ++i) {
        const auto part = static_cast<WaterfallPart>(i);
        together += fall[part];
        if (fall[part] != 0)
            table.add({std::string(name(part)), formatSeconds(fall[part]), formatPercent(fall.share(part)),
                       formatSeconds(together)});
    }
    return table.text();
}

nlohmann::ordered_json waterfallJson(const Waterfall& fall) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < waterfallParts; ++i) {
        const auto part = static_cast<WaterfallPart>(i);
        parts.push_back({{"part", name(part)}, {"seconds", fall[part]}, {"share", fall.share(part)}});
    }
    return parts;
}

}  // namespace shardlab::cli
