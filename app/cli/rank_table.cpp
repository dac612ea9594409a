// SPDX-License-Identifier: Apache-2.0
#include "app/cli/rank_table.h"

#include "app/cli/print.h"
#include "engine/layout/mesh/alike.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace shardlab::cli {

std::string rankTable(const Layout& layout, const Mesh& mesh, std::vector<std::string> headings,
                      const std::function<std::vector<std::string>(int)>& figures, bool all) {
    struct Row {
        std::vector<int> ranks;
        std::vector<std::string> cells;
    };
    std::vector<Row> rows;
    for (const std::vector<int>& group : alikeRanks(layout, mesh)) {
        const std::size_t first = rows.size();
        for (const int rank : group) {
            std::vector<std::string> cells = figures(rank);
            const auto same = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                                           [&](const Row& row) { return row.cells == cells; });
            if (all || same == rows.end()) rows.push_back({{rank}, std::move(cells)});
            else same->ranks.push_back(rank);
        }
    }
    std::ranges::stable_sort(rows, {}, [](const Row& row) { return row.ranks.front(); });
    const bool folded = std::ranges::any_of(rows, [](const Row& row) { return row.ranks.size() > 1; });
    std::vector<std::string> header{folded ? "ranks" : "rank", "mesh"};
    if (folded) header.insert(header.begin() + 1, "alike");
    std::ranges::move(headings, std::back_inserter(header));
    Table table(header);
    for (Row& row : rows) {
        std::vector<std::string> line{rankList(row.ranks), commonLabel(mesh, row.ranks)};
        if (folded) line.insert(line.begin() + 1, fmt::format("× {}", row.ranks.size()));
        std::ranges::move(row.cells, std::back_inserter(line));
        table.add(std::move(line));
    }
    return table.text();
}

}  // namespace shardlab::cli
