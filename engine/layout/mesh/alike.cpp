// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/mesh/alike.h"

#include "engine/base/parse_text.h"
#include "engine/layout/mesh/replicas.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

namespace shardlab::layout {

std::vector<std::vector<int>> alikeRanks(const Layout& layout, const Mesh& mesh) {
    const bool together = layout.parallel.exchange == Exchange::AllReduce;
    std::vector<std::vector<int>> groups;
    std::map<std::pair<int, int>, std::size_t> known;  ///< of a pipeline rank and a replica
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const std::pair sort{mesh.coordinate(rank, Axis::Pipeline), together ? 0 : replicaNumber(mesh, rank)};
        const auto [place, fresh] = known.try_emplace(sort, groups.size());
        if (fresh) groups.emplace_back();
        groups[place->second].push_back(rank);
    }
    return groups;
}

std::string commonLabel(const Mesh& mesh, const std::vector<int>& ranks) {
    if (ranks.empty()) return {};
    // A label is a list of words, one for each axis, in one order for all ranks.
    const auto words = [&](int rank) {
        const std::string label = mesh.label(rank);
        const auto list = wordsIn(label);
        return std::vector<std::string>(list.begin(), list.end());
    };
    std::vector<std::string> common = words(ranks.front());
    for (const int rank : ranks) {
        const std::vector<std::string> own = words(rank);
        std::erase_if(common, [&](const std::string& word) { return std::ranges::find(own, word) == own.end(); });
    }
    return fmt::format("{}", fmt::join(common, " "));
}

std::string rankList(const std::vector<int>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
        if (!text.empty()) text += ", ";
        if (end - i > 2) text += fmt::format("{}–{}", ranks[i], ranks[end - 1]);
        else
            for (std::size_t each = i; each < end; ++each)
                text += fmt::format("{}{}", each > i ? ", " : "", ranks[each]);
        i = end;
    }
    return text;
}

}  // namespace shardlab::layout
