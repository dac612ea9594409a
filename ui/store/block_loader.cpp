// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/store/block_loader.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <deque>
#include <mutex>
#include <utility>

namespace shardlab::ui {
namespace {
constexpr qint64 tellMilliseconds = 12;  ///< between two signals while blocks arrive
}

struct BlockLoader::Shared {
    QPointer<BlockLoader> loader;  ///< only looked at on the user interface's thread
    std::mutex mutex;              ///< guards what follows
    std::shared_ptr<BlockCache> cache;
    std::deque<BlockKey> wanted;
    std::vector<std::pair<BlockKey, BlockCache::Block>> read;
    bool reading = false;

    static void work(const std::shared_ptr<Shared>& shared);
};

/// Reads until nothing is wanted.
void BlockLoader::Shared::work(const std::shared_ptr<Shared>& shared) {
    const auto tell = [&] {
        if (qApp)
            QMetaObject::invokeMethod(
                qApp,
                [shared] {
                    if (shared->loader) Q_EMIT shared->loader->arrived();
                },
                Qt::QueuedConnection);
    };
    QElapsedTimer told;
    told.start();
    for (;;) {
        std::unique_lock lock(shared->mutex);
        if (shared->wanted.empty()) {
            shared->reading = false;
            break;
        }
        const BlockKey key = shared->wanted.front();
        shared->wanted.pop_front();
        const std::shared_ptr<BlockCache> cache = shared->cache;
        lock.unlock();
        BlockCache::Block block = cache->load(key);
        lock.lock();
        if (shared->cache == cache) shared->read.emplace_back(key, std::move(block));
        lock.unlock();
        if (told.elapsed() < tellMilliseconds) continue;
        tell();
        told.restart();
    }
    tell();
}

BlockLoader::BlockLoader(QObject* parent) : QObject(parent), shared_(std::make_shared<Shared>()) {
    shared_->loader = this;
}

BlockLoader::~BlockLoader() {
    shared_->loader = nullptr;
    const std::scoped_lock lock(shared_->mutex);
    shared_->wanted.clear();
    shared_->read.clear();
}

/// What was read since.
void BlockLoader::collect() {
    const std::scoped_lock lock(shared_->mutex);
    for (auto& [key, block] : std::exchange(shared_->read, {})) held_[key] = {std::move(block), round_};
}

void BlockLoader::begin(const std::shared_ptr<BlockCache>& cache, int atOnce) {
    ++round_;
    if (cache != cache_) {
        cache_ = cache;
        held_.clear();
        const std::scoped_lock lock(shared_->mutex);
        shared_->cache = cache;
        shared_->wanted.clear();
        shared_->read.clear();
    }
    collect();
    missing_.clear();
    atOnce_ = atOnce;
    clock_.start();
}

BlockCache::Block BlockLoader::get(const StoredLane& lane, std::size_t entry) {
    const BlockKey key = lane.entries()[entry].key;
    if (const auto held = held_.find(key); held != held_.end()) {
        held->second.round = round_;
        return held->second.block;
    }
    BlockCache::Block block = cache_->find(key);
    if (!block && clock_.elapsed() < atOnce_) block = cache_->load(key);
    if (block) held_[key] = {block, round_};
    else missing_.push_back(key);
    return block;
}

void BlockLoader::end() {
    std::erase_if(held_, [this](const auto& entry) { return entry.second.round != round_; });
    const std::scoped_lock lock(shared_->mutex);
    shared_->wanted.assign(missing_.begin(), missing_.end());
    if (shared_->wanted.empty() || shared_->reading) return;
    shared_->reading = true;
    QThreadPool::globalInstance()->start([shared = shared_] { Shared::work(shared); });
}

}  // namespace shardlab::ui
