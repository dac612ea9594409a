// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the blocks that a picture, or a scan, needs now, and reads those that are missing in the background.
#pragma once

#include "ui/store/stored_lane.h"

#include <QElapsedTimer>
#include <QObject>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace shardlab::ui {

class BlockLoader : public QObject {
    Q_OBJECT
public:
    explicit BlockLoader(QObject* parent = nullptr);
    ~BlockLoader() override;

    /// A new round of asking; missing blocks are read at once for so long, milliseconds, and later ones in the
    /// background.
    void begin(const std::shared_ptr<BlockCache>& cache, int atOnce);
    /// nullptr where it is not there yet.
    BlockCache::Block get(const StoredLane& lane, std::size_t entry);
    /// Lets go what was not asked for in this round. arrived() tells when more of what was is there.
    void end();
    /// Everything that was asked for in the last round was there.
    bool complete() const { return missing_.empty(); }

Q_SIGNALS:
    void arrived();

private:
    /// What the thread that reads and the loader share.
    struct Shared;
    struct Held {
        BlockCache::Block block;
        std::uint64_t round;
    };
    void collect();

    std::shared_ptr<BlockCache> cache_;
    std::unordered_map<BlockKey, Held> held_;
    std::vector<BlockKey> missing_;
    std::uint64_t round_ = 0;
    int atOnce_ = 0;
    QElapsedTimer clock_;
    std::shared_ptr<Shared> shared_;
};

}  // namespace shardlab::ui
