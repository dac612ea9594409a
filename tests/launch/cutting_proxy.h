// SPDX-License-Identifier: Apache-2.0
// A link that breaks: passes bytes between callers and a socket, and cuts each connection after a random amount.
#pragma once

#include "engine/base/unix_socket.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <array>
#include <atomic>
#include <functional>
#include <poll.h>
#include <thread>
#include <vector>

namespace shardlab::test {

class CuttingProxy {
public:
    /// Cuts each of the first `cuts` connections after at most `most` bytes; later ones last.
    CuttingProxy(const std::filesystem::path& front, std::filesystem::path back, std::uint64_t seed, int cuts,
                 std::int64_t most)
        : CuttingProxy(
              std::move(*listenUnix(front, 16)), [back = std::move(back)] { return connectUnix(back); }, seed, cuts,
              most) {}
    CuttingProxy(Descriptor front, std::function<Result<Descriptor>()> back, std::uint64_t seed, int cuts,
                 std::int64_t most)
        : listener_(std::move(front)), back_(std::move(back)), random_(seed), cutsLeft_(cuts), most_(most) {
        thread_ = std::thread([this] { loop(); });
    }
    ~CuttingProxy() {
        stopping_ = true;
        wake_.ring();
        thread_.join();
    }
    int cuts() const { return cuts_; }

private:
    struct Pair {
        Descriptor caller, called;
        std::int64_t budget;
    };

    void loop() {
        while (!stopping_) {
            std::vector<pollfd> watched{{wake_.descriptor(), POLLIN, 0}, {listener_.value(), POLLIN, 0}};
            for (const Pair& pair : pairs_) {
                watched.push_back({pair.caller.value(), POLLIN, 0});
                watched.push_back({pair.called.value(), POLLIN, 0});
            }
            ::poll(watched.data(), watched.size(), 100);
            std::erase_if(pairs_, [this](Pair& pair) {
                return !pass(pair.caller, pair.called, pair.budget) || !pass(pair.called, pair.caller, pair.budget);
            });
            while (auto caller = acceptCall(listener_)) {
                auto called = back_();
                if (!called) continue;
                const bool lasts = cutsLeft_-- <= 0;
                pairs_.push_back(
                    {std::move(*caller), std::move(*called), lasts ? std::int64_t{1} << 60 : random_.below(most_)});
            }
        }
    }

    bool pass(const Descriptor& from, const Descriptor& to, std::int64_t& budget) {
        std::array<std::byte, 5000> room{};
        const auto count = receiveSome(from, room);
        if (!count) return false;
        // What is beyond the budget is lost with the connection, as in a broken link.
        const auto part = std::min<std::int64_t>(static_cast<std::int64_t>(*count), budget);
        for (std::int64_t sent = 0; sent < part;) {
            const auto now = sendSome(
                to, std::span(room).subspan(static_cast<std::size_t>(sent), static_cast<std::size_t>(part - sent)));
            if (!now) return false;
            sent += static_cast<std::int64_t>(*now);
            if (*now == 0) std::this_thread::yield();
        }
        budget -= static_cast<std::int64_t>(*count);
        if (budget > 0) return true;
        ++cuts_;
        return false;
    }

    Descriptor listener_;
    std::function<Result<Descriptor>()> back_;
    RandomEvents random_;
    int cutsLeft_;
    std::int64_t most_;
    WakeUp wake_;
    std::vector<Pair> pairs_;
    std::atomic<int> cuts_{0};
    std::atomic<bool> stopping_{false};
    std::thread thread_;
};

}  // namespace shardlab::test
