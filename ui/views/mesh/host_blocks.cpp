// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/mesh/host_blocks.h"

#include "ui/core/text.h"

#include <algorithm>
#include <cstdlib>

namespace shardlab::ui {
namespace {

constexpr int blockMargin = 10, blockGap = 8, nameHeight = 15;
constexpr int tensorGap = 2;  ///< between groups of tensor neighbours
constexpr QSize numbered(24, 18), coloured(11, 11), largest(96, 60);
constexpr int mostNumbered = 256;  ///< of more ranks only hosts are named where there is little room
constexpr int leastBlock = 58;     ///< for a range of ranks above it
constexpr double ratio = 1.33;     ///< of a cell's width to its height

int divided(int count, int by) { return (count + by - 1) / by; }

}  // namespace

void HostBlocks::set(const Mesh& mesh) {
    blocks_.clear();
    ranks_ = mesh.ranks();
    tensor_ = std::max(1, mesh.size(Axis::Tensor));
    for (int rank = 0; rank < ranks_; ++rank) {
        if (rank == 0 || mesh.host(rank) != mesh.host(rank - 1))
            blocks_.push_back({text(mesh.hostName(rank)), rank, 0});
        ++blocks_.back().count;
    }
    at_ = {};
}

QSize HostBlocks::leastCell() const { return ranks_ > mostNumbered ? coloured : numbered; }

int HostBlocks::devices() const {
    return blocks_.empty() ? 1 : std::ranges::max_element(blocks_, {}, &Block::count)->count;
}

int HostBlocks::blockWidth(const Arrangement& arrangement) const {
    const int groups = divided(arrangement.across, std::min(tensor_, arrangement.across));
    return std::max(leastBlock, arrangement.across * arrangement.cell.width() + (groups - 1) * tensorGap);
}

int HostBlocks::blockHeight(const Arrangement& arrangement) const {
    return nameHeight + divided(devices(), arrangement.across) * (arrangement.cell.height() + 1);
}

int HostBlocks::height(const Arrangement& arrangement) const {
    const int lines = divided(static_cast<int>(blocks_.size()), arrangement.columns);
    return 2 * blockMargin + lines * blockHeight(arrangement) + (lines - 1) * blockGap;
}

HostBlocks::Arrangement HostBlocks::lowest(const QSize& cell, int width) const {
    Arrangement best{cell, 1, 1};
    bool known = false;
    for (const int across : {1, 2, 4, 8, 16, 32}) {
        if (across > devices() && across > 1) break;
        Arrangement tried{cell, across, 1};
        const int room = width - 2 * blockMargin;
        if (blockWidth(tried) > room && across > 1) break;
        tried.columns = std::max(1, (room + blockGap) / (blockWidth(tried) + blockGap));
        if (!known || height(tried) <= height(best)) best = tried;
        known = true;
    }
    return best;
}

int HostBlocks::leastWidth() const {
    return 2 * blockMargin + std::max(leastBlock, 4 * leastCell().width() + tensorGap * 3);
}

int HostBlocks::heightForWidth(int width) const { return height(lowest(leastCell(), width)); }

void HostBlocks::fit(const QSize& size) {
    at_ = lowest(leastCell(), size.width());
    for (int high = largest.height(); high > leastCell().height(); --high) {
        const QSize cell(std::min(largest.width(), static_cast<int>(high * ratio)), high);
        const Arrangement tried = lowest(cell, size.width());
        if (height(tried) > size.height() || blockWidth(tried) > size.width() - 2 * blockMargin) continue;
        at_ = tried;
        break;
    }
    // What is left beside the blocks goes to them, and to the names above them.
    const int columns = std::min(at_.columns, static_cast<int>(blocks_.size()));
    const int room = (size.width() - 2 * blockMargin + blockGap) / std::max(1, columns) - blockGap;
    const int gaps = (divided(at_.across, std::min(tensor_, at_.across)) - 1) * tensorGap;
    at_.cell.setWidth(std::clamp((room - gaps) / at_.across, at_.cell.width(), largest.width()));
}

std::size_t HostBlocks::blockOf(int rank) const {
    const auto after = std::ranges::upper_bound(blocks_, rank, {}, &Block::first);
    return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

QPoint HostBlocks::corner(std::size_t block) const {
    const int index = static_cast<int>(block);
    return {blockMargin + index % at_.columns * (blockWidth(at_) + blockGap),
            blockMargin + index / at_.columns * (blockHeight(at_) + blockGap)};
}

QRect HostBlocks::head(std::size_t block) const { return {corner(block), QSize(blockWidth(at_), nameHeight)}; }

QRect HostBlocks::cell(int rank) const {
    if (rank < 0 || rank >= ranks_) return {};
    const std::size_t block = blockOf(rank);
    const int place = rank - blocks_[block].first;
    const int column = place % at_.across, line = place / at_.across;
    const int x = column * at_.cell.width() + column / std::min(tensor_, at_.across) * tensorGap;
    return {corner(block) + QPoint(x, nameHeight + line * (at_.cell.height() + 1)),
            QSize(at_.cell.width() - 1, at_.cell.height())};
}

int HostBlocks::neighbour(int rank, int right, int down) const {
    const QPoint from = cell(rank).center();
    int nearest = rank, least = -1;
    for (int other = 0; other < ranks_; ++other) {
        const QPoint way = cell(other).center() - from;
        const int along = right != 0 ? way.x() * right : way.y() * down;
        const int aside = std::abs(right != 0 ? way.y() : way.x());
        if (along <= 0 || aside > 2 * along + at_.cell.height() / 2) continue;
        const int cost = along + 4 * aside;
        if (least >= 0 && cost >= least) continue;
        least = cost;
        nearest = other;
    }
    return nearest;
}

}  // namespace shardlab::ui
