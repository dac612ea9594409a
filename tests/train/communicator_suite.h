// SPDX-License-Identifier: Apache-2.0
// What every communicator must do, whatever its backend. Run by all members of `world` at once; sizes and values come
// from `seed`, the same on every member. Returns what is wrong, seen from this member; empty = conforms.
#pragma once

#include "engine/base/random.h"
#include "engine/train/comm/communication_error.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/comm/ring_collectives.h"
#include "tests/support/wings.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace shardlab::conformance {

using Faults = std::vector<std::string>;

/// Member `rank`'s values of array `what`: every member can compute everybody's.
inline std::vector<float> values(std::int64_t seed, int what, int rank, std::size_t count) {
    RandomStream stream(seed, "values " + std::to_string(what) + " of " + std::to_string(rank));
    std::vector<float> made(count);
    for (float& value : made) value = static_cast<float>(stream.uniform() * 2 - 1);
    return made;
}

inline std::span<const std::byte> bytes(const std::vector<float>& data) { return std::as_bytes(std::span(data)); }
inline std::span<std::byte> bytes(std::vector<float>& data) { return std::as_writable_bytes(std::span(data)); }

class Suite {
public:
    Suite(Communicator& world, std::int64_t seed) : world_(world), seed_(seed) {}

    Faults run() {
        RandomStream sizes(seed_, "sizes");
        for (const std::size_t fixed : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{5000}})
            collectives(world_, fixed);
        collectives(world_, 1 + sizes.below(40'000));
        collectives(world_, (std::size_t{1} << 20) + 17);  // more than one piece
        for (const int most : {1, 40, 3000, 200'000}) parts(world_, most);
        unfitParts();
        for (const std::size_t count :
             {std::size_t{1}, std::size_t{7}, std::size_t{5000}, std::size_t{1} + sizes.below(40'000)})
            rings(world_, count);
        ring(16);
        ring(300'000);
        order();
        unexpectedOrder();
        overlapping();
        groups();
        for (int i = 0; i < 3; ++i) world_.barrier();
        return faults_;
    }

private:
    void expect(bool right, const std::string& what) {
        if (!right) faults_.push_back("rank " + std::to_string(world_.rank()) + ": " + what);
    }

    /// `members`: world ranks of the group's members, by which values are made; empty = all.
    void collectives(Communicator& group, std::size_t count, std::vector<int> members = {}) {
        const int n = group.size(), me = group.rank();
        if (members.empty())
            for (int i = 0; i < n; ++i) members.push_back(i);
        const int what = ++arrays_;
        std::vector<std::vector<float>> all;
        for (int member : members) all.push_back(values(seed_, what, member, count * static_cast<std::size_t>(n)));
        const std::string size = std::to_string(count) + " floats, " + std::to_string(n) + " members";

        const std::vector<float>& own = all[static_cast<std::size_t>(me)];
        for (const ReduceOp op : {ReduceOp::Sum, ReduceOp::Max}) {
            std::vector<float> data(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(count));
            group.allReduce(data, op);
            expect(near(data, reduced(all, 0, count, op)), "all-reduce of " + size + " is wrong");
            std::vector<float> everybodys(count * static_cast<std::size_t>(n));
            group.allGather(data, everybodys);
            for (int k = 0; k < n; ++k)
                expect(sameBits(data, std::span(everybodys).subspan(static_cast<std::size_t>(k) * count, count)),
                       "all-reduce of " + size + " differs in bits from that of member " + std::to_string(k));

            std::vector<float> mine(count);
            group.reduceScatter(own, mine, op);
            expect(near(mine, reduced(all, static_cast<std::size_t>(me) * count, count, op)),
                   "reduce-scatter of " + size + " is wrong");
        }

        std::vector<float> exchanged(count * static_cast<std::size_t>(n));
        group.allToAll(own, exchanged);
        for (int k = 0; k < n; ++k) {
            const auto came = std::span(exchanged).subspan(static_cast<std::size_t>(k) * count, count);
            const auto sent =
                std::span(all[static_cast<std::size_t>(k)]).subspan(static_cast<std::size_t>(me) * count, count);
            expect(sameBits(came, sent), "all-to-all of " + size + ": block " + std::to_string(k) + " is wrong");
        }

        for (int root = 0; root < n; ++root) {
            std::vector<float> told = own;
            group.broadcast(bytes(told), root);
            expect(told == all[static_cast<std::size_t>(root)],
                   "broadcast of " + size + " from " + std::to_string(root) + " is wrong");
        }
    }

    /// Sums and parts that go round a ring: part k is summed from member k + 1 on, and last comes member k.
    void rings(Communicator& group, std::size_t count) {
        const int n = group.size(), me = group.rank(), what = ++arrays_;
        std::vector<float> wanted(count), own = values(seed_, what, me, count);
        for (int k = 0; k < n; ++k) {
            const auto [begin, size] = train::partRange(count, k, n);
            for (int i = 1; i <= n; ++i) {
                const std::vector<float> theirs = values(seed_, what, (k + i) % n, count);
                for (std::size_t at = begin; at < begin + size; ++at) wanted[at] += theirs[at];
            }
        }
        const std::string size = std::to_string(count) + " floats, " + std::to_string(n) + " members";
        const auto go = [&](train::RingWay way, std::vector<float>& block) {
            std::vector<train::RingHop> hops;
            train::iring(way, group, block, &hops)->wait();
            std::size_t sent = 0;
            for (const train::RingHop& hop : hops) sent += static_cast<std::size_t>(hop.bytes);
            const std::size_t halves = way == train::RingWay::AllReduce ? 2 : 1;
            expect(hops.size() == halves * static_cast<std::size_t>(n - 1), "a ring of " + size + ": hops");
            expect(sent <= halves * 4 * count, "a ring of " + size + ": bytes");
        };
        std::vector<float> all = own, halves = own;
        go(train::RingWay::AllReduce, all);
        expect(sameBits(all, wanted), "all-reduce round a ring of " + size + " is wrong");
        go(train::RingWay::ReduceParts, halves);
        const auto [begin, mine] = train::partRange(count, me, n);
        expect(sameBits(std::span(halves).subspan(begin, mine), std::span(wanted).subspan(begin, mine)),
               "reduce-scatter round a ring of " + size + " is wrong");
        go(train::RingWay::GatherParts, halves);
        expect(sameBits(halves, wanted), "all-gather round a ring of " + size + " is wrong");
    }

    /// Everybody sends another number of elements to everybody, up to `most`, and often none; several at once.
    /// `members` as collectives() takes them.
    void parts(Communicator& group, int most, std::vector<int> members = {}) {
        const auto n = static_cast<std::size_t>(group.size()), me = static_cast<std::size_t>(group.rank());
        if (members.empty())
            for (int i = 0; i < group.size(); ++i) members.push_back(i);
        struct Exchange {
            std::vector<std::size_t> sizes;
            std::vector<float> sent, wanted, came;
            RequestPtr request;
        };
        std::vector<Exchange> all(3);
        for (Exchange& exchange : all) {
            const int what = ++arrays_;
            RandomStream stream(seed_, "parts " + std::to_string(what) + " of " + std::to_string(members.front()));
            exchange.sizes.resize(n * n);
            const bool nothing = stream.below(8) == 0;
            for (std::size_t& size : exchange.sizes)
                size = nothing || stream.below(3) == 0 ? 0 : stream.below(static_cast<std::uint32_t>(most) + 1);
            for (std::size_t from = 0; from < n; ++from) {
                const auto row = exchange.sizes.begin() + static_cast<std::ptrdiff_t>(from * n);
                const auto sum = [&](std::size_t count) {
                    return std::accumulate(row, row + static_cast<std::ptrdiff_t>(count), std::size_t{0});
                };
                const std::vector<float> theirs = values(seed_, what, members[from], sum(n));
                const auto part = theirs.begin() + static_cast<std::ptrdiff_t>(sum(me));
                exchange.wanted.insert(exchange.wanted.end(), part,
                                       part + static_cast<std::ptrdiff_t>(exchange.sizes[from * n + me]));
                if (from == me) exchange.sent = theirs;
            }
            exchange.came.resize(exchange.wanted.size());
        }
        for (Exchange& exchange : all)
            exchange.request = group.iallToAllParts(exchange.sent, exchange.came, exchange.sizes);
        for (auto exchange = all.rbegin(); exchange != all.rend(); ++exchange) {
            exchange->request->wait();
            expect(sameBits(exchange->came, exchange->wanted), "all-to-all of parts of up to " + std::to_string(most) +
                                                                   " floats, " + std::to_string(n) +
                                                                   " members, is wrong");
        }
    }

    /// Sizes that do not fit are refused by all, before anything is sent.
    void unfitParts() {
        const auto n = static_cast<std::size_t>(world_.size());
        const std::vector<float> sent(n);
        std::vector<float> came(n), longer(n + 1);
        const auto refused = [&](std::span<float> room, std::size_t pairs) {
            const std::vector<std::size_t> ones(pairs, 1);
            try {
                world_.iallToAllParts(ConstArraySpan(sent), ArraySpan(room), ones)->wait();
            } catch (const CommunicationError&) {
                return true;
            }
            return false;
        };
        expect(refused(longer, n * n), "an all-to-all of parts that do not fill the output is not refused");
        expect(refused(came, n * n + 1), "an all-to-all of parts with sizes for other pairs is not refused");
        expect(!refused(came, n * n), "an all-to-all of fitting parts is refused");
    }

    static bool sameBits(std::span<const float> a, std::span<const float> b) {
        return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
    }

    static std::vector<float> reduced(const std::vector<std::vector<float>>& all, std::size_t begin, std::size_t count,
                                      ReduceOp op) {
        std::vector<float> result(count);
        for (std::size_t i = 0; i < count; ++i) {
            double sum = 0;
            float largest = all[0][begin + i];
            for (const auto& one : all) {
                sum += one[begin + i];
                largest = std::max(largest, one[begin + i]);
            }
            result[i] = op == ReduceOp::Sum ? static_cast<float>(sum) : largest;
        }
        return result;
    }

    static bool near(const std::vector<float>& a, const std::vector<float>& b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(std::abs(a[i] - b[i]) <= 1e-5f)) return false;
        return true;
    }

    /// Everybody sends to the next and receives from the one before, all non-blocking, short and long.
    void ring(std::size_t count) {
        const int n = world_.size(), me = world_.rank(), what = ++arrays_;
        const int next = (me + 1) % n, before = (me + n - 1) % n;
        const std::vector<float> out = values(seed_, what, me, count);
        std::vector<float> in(count);
        const RequestPtr receive = world_.ireceive(bytes(in), before, 3);
        const RequestPtr send = world_.isend(bytes(out), next, 3);
        while (!receive->test()) {}
        send->wait();
        expect(in == values(seed_, what, before, count), "ring of " + std::to_string(count) + " floats: wrong message");
    }

    /// Messages with one tag do not overtake each other.
    void order() {
        if (world_.size() < 2 || world_.rank() > 1) return;
        constexpr int messages = 50;
        if (world_.rank() == 0)
            for (int i = 0; i < messages; ++i) world_.send(std::as_bytes(std::span(&i, 1)), 1, 9);
        else
            for (int i = 0; i < messages; ++i) {
                int got = -1;
                world_.receive(std::as_writable_bytes(std::span(&got, 1)), 0, 9);
                expect(got == i, "message " + std::to_string(i) + " of a tag came as " + std::to_string(got));
            }
    }

    /// Receives meet messages by tag, not by arrival.
    void unexpectedOrder() {
        if (world_.size() < 2 || world_.rank() > 1) return;
        const std::vector<float> first = values(seed_, 1001, 0, 9000), second = values(seed_, 1002, 0, 20);
        if (world_.rank() == 0) {
            const RequestPtr one = world_.isend(bytes(first), 1, 21);
            const RequestPtr two = world_.isend(bytes(second), 1, 22);
            two->wait();
            one->wait();
        } else {
            std::vector<float> a(first.size()), b(second.size());
            world_.receive(bytes(b), 0, 22);
            world_.receive(bytes(a), 0, 21);
            expect(a == first && b == second, "messages with two tags were mixed up");
        }
    }

    /// Several collectives and messages of the same tag under way at once.
    void overlapping() {
        const int n = world_.size(), me = world_.rank();
        std::vector<float> a = values(seed_, 2001, me, 3000), b = values(seed_, 2002, me, 40);
        std::vector<std::vector<float>> allA, allB;
        for (int k = 0; k < n; ++k) {
            allA.push_back(values(seed_, 2001, k, 3000));
            allB.push_back(values(seed_, 2002, k, 40));
        }
        std::vector<float> in(50);
        const std::vector<float> out = values(seed_, 2003, me, 50);
        const RequestPtr reduceA = world_.iallReduce(a, ReduceOp::Sum);
        const RequestPtr receive = world_.ireceive(bytes(in), (me + 1) % n, 0);
        const RequestPtr reduceB = world_.iallReduce(b, ReduceOp::Max);
        const RequestPtr send = world_.isend(bytes(out), (me + n - 1) % n, 0);
        bool doneA = false, doneB = false, doneIn = false, doneOut = false;
        while (!(doneA && doneB && doneIn && doneOut)) {
            doneB = doneB || reduceB->test();
            doneA = doneA || reduceA->test();
            doneIn = doneIn || receive->test();
            doneOut = doneOut || send->test();
        }
        expect(near(a, reduced(allA, 0, 3000, ReduceOp::Sum)), "first of two overlapping all-reduces is wrong");
        expect(near(b, reduced(allB, 0, 40, ReduceOp::Max)), "second of two overlapping all-reduces is wrong");
        expect(in == values(seed_, 2003, (me + 1) % n, 50), "message between overlapping all-reduces is wrong");
    }

    /// Even and odd ranks, then single ones; a group inside a group.
    void groups() {
        std::vector<int> members, reversed;
        for (int k = world_.rank() % 2; k < world_.size(); k += 2) members.push_back(k);
        const auto half = world_.group(members);
        expect(half->size() == static_cast<int>(members.size()) && half->rank() == world_.rank() / 2,
               "wrong rank in a group");
        collectives(*half, 333, members);
        parts(*half, 500, members);
        reversed.assign(members.rbegin(), members.rend());
        const auto turned = half->group(reversed);
        expect(turned->rank() == half->size() - 1 - half->rank(), "a group does not number members in the order given");
        collectives(*turned, 10, reversed);
        parts(*turned, 10, reversed);
        const int self = world_.rank();
        const auto alone = world_.group(std::span(&self, 1));
        collectives(*alone, 12, {self});
        // Messages of a group stay in it: same peer, same tag, other group.
        if (members.size() >= 2 && half->rank() < 2) {
            const int other = 1 - half->rank();
            const int otherInWorld = members[static_cast<std::size_t>(other)];
            const std::vector<float> inGroup = values(seed_, 3001, world_.rank(), 5);
            const std::vector<float> inWorld = values(seed_, 3002, world_.rank(), 5);
            std::vector<float> fromGroup(5), fromWorld(5);
            const RequestPtr s1 = half->isend(bytes(inGroup), other, 5);
            const RequestPtr s2 = world_.isend(bytes(inWorld), otherInWorld, 5);
            world_.receive(bytes(fromWorld), otherInWorld, 5);
            half->receive(bytes(fromGroup), other, 5);
            s1->wait();
            s2->wait();
            expect(fromGroup == values(seed_, 3001, otherInWorld, 5), "a group got a message of the world");
            expect(fromWorld == values(seed_, 3002, otherInWorld, 5), "the world got a message of a group");
        }
    }

    Communicator& world_;
    std::int64_t seed_;
    int arrays_ = 0;
    Faults faults_;
};

/// What is wrong with a group whose members are threads, with the seed; empty where it conforms. `onAll(body)` calls
/// `body` for each member on its thread and returns the first error.
inline std::string faultOf(std::int64_t seed,
                           const std::function<std::string(const std::function<void(Communicator&)>&)>& onAll) {
    std::mutex mutex;
    Faults faults;
    const std::string error = onAll([&](Communicator& world) {
        const Faults mine = Suite(world, seed).run();
        const std::lock_guard lock(mutex);
        faults.insert(faults.end(), mine.begin(), mine.end());
    });
    if (!error.empty() || faults.empty()) return error;
    return "seed " + std::to_string(seed) + ": " + faults.front();
}

}  // namespace shardlab::conformance
