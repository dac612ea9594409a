// SPDX-License-Identifier: Apache-2.0
#include "engine/train/comm/loopback/loopback.h"

#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/message_communicator.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

namespace shardlab::train {

/// One end of a message, which waits in the mailbox of the receiver until the other end is there.
struct LoopbackWorld::Post {
    int context = 0;  ///< group and channel
    int source = 0;   ///< world ranks
    int destination = 0;
    int tag = 0;
    bool send = false;
    std::span<const std::byte> outgoing;
    std::span<std::byte> incoming;
    std::vector<std::byte> kept;  ///< the bytes of a buffered message
    bool done = false;

    bool matches(const Post& other) const {
        return send != other.send && context == other.context && source == other.source &&
               destination == other.destination && tag == other.tag;
    }
};

struct LoopbackWorld::State {
    explicit State(int count) : ranks(count), mailboxes(static_cast<std::size_t>(count)), changed(mailboxes.size()) {}

    void requireAlive() const {
        if (failure) throw CommunicationError(*failure);
    }

    void post(const std::shared_ptr<Post>& mine) {
        // Told outside the lock: whoever is woken takes it first of all.
        if (std::condition_variable* const waits = meet(mine)) waits->notify_all();
    }

    /// Where whoever has posted the other end may wait for what is done now; null: there is no other end yet.
    std::condition_variable* meet(const std::shared_ptr<Post>& mine) {
        const std::lock_guard lock(mutex);
        requireAlive();
        auto& mailbox = mailboxes[static_cast<std::size_t>(mine->destination)];
        const auto found =
            std::find_if(mailbox.begin(), mailbox.end(), [&](const auto& other) { return other->matches(*mine); });
        if (found != mailbox.end()) {
            const std::shared_ptr<Post> other = *found;
            mailbox.erase(found);
            handOver(mine->send ? *mine : *other, mine->send ? *other : *mine);
            return &changed[static_cast<std::size_t>(other->send ? other->source : other->destination)];
        }
        if (mine->send && mine->outgoing.size() <= bufferedBytes) {
            mine->kept.assign(mine->outgoing.begin(), mine->outgoing.end());
            mine->outgoing = mine->kept;
            mine->done = true;
        }
        mailbox.push_back(mine);
        return nullptr;
    }

    void handOver(Post& from, Post& to) {
        if (from.outgoing.size() != to.incoming.size()) {
            failure = "message from rank " + std::to_string(from.source) + " to rank " +
                      std::to_string(from.destination) + ", tag " + std::to_string(from.tag) + ": sent " +
                      std::to_string(from.outgoing.size()) + " bytes, expected " + std::to_string(to.incoming.size());
            for (auto& condition : changed) condition.notify_all();
            throw CommunicationError(*failure);
        }
        if (!to.incoming.empty()) std::memcpy(to.incoming.data(), from.outgoing.data(), to.incoming.size());
        from.done = to.done = true;
    }

    int ranks;
    std::mutex mutex;
    std::vector<std::deque<std::shared_ptr<Post>>> mailboxes;  ///< by destination, in order of arrival
    std::vector<std::condition_variable> changed;              ///< by rank
    std::map<std::tuple<int, int, int>, int> groups;           ///< (parent context, call, first member) → context
    int contexts = 2;                                          ///< 0 and 1 are the world's two channels
    std::optional<std::string> failure;
};

namespace {

class LoopbackRequest final : public Request {
public:
    LoopbackRequest(std::shared_ptr<LoopbackWorld::State> state, std::shared_ptr<LoopbackWorld::Post> post)
        : state_(std::move(state)), post_(std::move(post)) {}

    // Only a run that has failed drops a request before it is done, and its buffers may be gone by then.
    ~LoopbackRequest() override {
        const std::lock_guard lock(state_->mutex);
        if (!post_->done) std::erase(state_->mailboxes[static_cast<std::size_t>(post_->destination)], post_);
    }

    bool test() override {
        const std::lock_guard lock(state_->mutex);
        if (!post_->done) state_->requireAlive();
        return post_->done;
    }

    void wait() override {
        std::unique_lock lock(state_->mutex);
        auto& changed = state_->changed[static_cast<std::size_t>(post_->send ? post_->source : post_->destination)];
        changed.wait(lock, [&] { return post_->done || state_->failure; });
        if (!post_->done) state_->requireAlive();
    }

private:
    std::shared_ptr<LoopbackWorld::State> state_;
    std::shared_ptr<LoopbackWorld::Post> post_;
};

class LoopbackCommunicator final : public MessageCommunicator {
public:
    LoopbackCommunicator(std::shared_ptr<LoopbackWorld::State> state, int context, std::vector<int> members, int rank)
        : state_(std::move(state)), context_(context), members_(std::move(members)), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(members_.size()); }

    std::span<std::byte> reach(std::span<std::byte> block, int owner) override {
        broadcast(std::as_writable_bytes(std::span(&block, 1)), owner);
        return block;
    }

    void requireMembers() override {
        const std::lock_guard lock(state_->mutex);
        state_->requireAlive();
    }

    std::unique_ptr<Communicator> group(std::span<const int> members) override {
        const int world = members_[static_cast<std::size_t>(rank_)];
        const auto mine = std::find(members.begin(), members.end(), world);
        if (mine == members.end())
            throw CommunicationError("rank " + std::to_string(world) + " is not in the group it asks for");
        const std::lock_guard lock(state_->mutex);
        state_->requireAlive();
        const auto [entry, added] = state_->groups.try_emplace({context_, groupCalls_++, members.front()}, 0);
        if (added) {
            entry->second = state_->contexts;
            state_->contexts += 2;
        }
        const int rank = static_cast<int>(mine - members.begin());
        return std::make_unique<LoopbackCommunicator>(state_, entry->second,
                                                      std::vector(members.begin(), members.end()), rank);
    }

protected:
    RequestPtr post(Channel channel, std::span<const std::byte> data, int peer, int tag) override {
        auto message = ends(channel, rank_, peer, tag);
        message->send = true;
        message->outgoing = data;
        state_->post(message);
        return std::make_unique<LoopbackRequest>(state_, std::move(message));
    }

    RequestPtr expect(Channel channel, std::span<std::byte> data, int peer, int tag) override {
        auto message = ends(channel, peer, rank_, tag);
        message->incoming = data;
        state_->post(message);
        return std::make_unique<LoopbackRequest>(state_, std::move(message));
    }

private:
    std::shared_ptr<LoopbackWorld::Post> ends(Channel channel, int source, int destination, int tag) const {
        auto message = std::make_shared<LoopbackWorld::Post>();
        message->context = context_ + static_cast<int>(channel);
        message->source = members_.at(static_cast<std::size_t>(source));
        message->destination = members_.at(static_cast<std::size_t>(destination));
        message->tag = tag;
        return message;
    }

    std::shared_ptr<LoopbackWorld::State> state_;
    int context_;
    std::vector<int> members_;  ///< world ranks
    int rank_;
    int groupCalls_ = 0;
};

}  // namespace

LoopbackWorld::LoopbackWorld(int ranks) : state_(std::make_shared<State>(ranks)) {}

LoopbackWorld::~LoopbackWorld() = default;

std::unique_ptr<Communicator> LoopbackWorld::communicator(int rank) {
    std::vector<int> all(static_cast<std::size_t>(state_->ranks));
    for (int i = 0; i < state_->ranks; ++i) all[static_cast<std::size_t>(i)] = i;
    return std::make_unique<LoopbackCommunicator>(state_, 0, std::move(all), rank);
}

void LoopbackWorld::fail(const std::string& why) {
    const std::lock_guard lock(state_->mutex);
    if (!state_->failure) state_->failure = why;
    for (auto& condition : state_->changed) condition.notify_all();
}

}  // namespace shardlab::train
