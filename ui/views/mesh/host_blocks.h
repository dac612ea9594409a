// SPDX-License-Identifier: GPL-3.0-or-later
// Where ranks stand when they are grouped by host: a block for each host under its name, blocks side by side in lines.
#pragma once

#include "engine/layout/mesh/mesh.h"

#include <QRect>
#include <QString>

#include <vector>

namespace shardlab::ui {

class HostBlocks {
public:
    struct Block {
        QString host;
        int first = 0;  ///< rank
        int count = 0;
    };

    void set(const Mesh& mesh);
    void clear() { blocks_.clear(); }
    /// A single host needs no blocks.
    bool used() const { return blocks_.size() > 1; }
    const std::vector<Block>& blocks() const { return blocks_; }

    int leastWidth() const;
    /// What the smallest cells take: large enough for a rank's number, or where there are very many ranks for a
    /// colour.
    int heightForWidth(int width) const;
    /// Cells as large as fit into the size, else the smallest ones.
    void fit(const QSize& size);
    QRect cell(int rank) const;
    QRect head(std::size_t block) const;  ///< of the host's name, above its cells
    /// The rank whose cell lies next to this one's in a direction (-1, 0 or 1 each); the same where there is none.
    int neighbour(int rank, int right, int down) const;

private:
    struct Arrangement {
        QSize cell;
        int across = 1;   ///< cells beside each other in a block
        int columns = 1;  ///< blocks beside each other
    };
    QSize leastCell() const;
    int devices() const;  ///< of the largest host
    int blockWidth(const Arrangement& arrangement) const;
    int blockHeight(const Arrangement& arrangement) const;
    /// For cells of this size: that of the least height.
    Arrangement lowest(const QSize& cell, int width) const;
    int height(const Arrangement& arrangement) const;
    QPoint corner(std::size_t block) const;
    std::size_t blockOf(int rank) const;

    std::vector<Block> blocks_;
    int tensor_ = 1;
    int ranks_ = 0;
    Arrangement at_;
};

}  // namespace shardlab::ui
