// SPDX-License-Identifier: Apache-2.0
// Ranks' links through a trunk: every byte arrives once and in order, and one that nobody reads holds up no other.
#include "engine/launch/hosts/trunk_channel.h"
#include "tests/support/seed.h"
#include "tests/trace/random_events.h"
#include "tests/support/wings.h"

#include <QTest>

#include <map>
#include <random>
#include <sys/socket.h>

using namespace shardlab::test;

namespace {

std::pair<Descriptor, Descriptor> joined() {
    int ends[2] = {-1, -1};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// One side of a trunk, with its channels.
struct Side {
    FrameLink trunk;
    std::map<std::uint32_t, TrunkChannel> channels;
    std::size_t closed = 0;

    void serve() {
        QVERIFY(trunk.receive().has_value());
        Frame frame;
        while (trunk.parser().next(frame) == FrameParser::Outcome::Frame) {
            ByteReader reader(frame.body);
            const auto found = channels.find(reader.fixed<std::uint32_t>());
            if (found == channels.end()) continue;
            switch (static_cast<TrunkFrame>(frame.type)) {
            case TrunkFrame::Data: QVERIFY(found->second.take(reader.bytes(reader.left()))); break;
            case TrunkFrame::Taken: found->second.granted(reader.fixed<std::uint32_t>()); break;
            case TrunkFrame::Close: found->second.finish(); break;
            default: QFAIL("a frame that does not belong here");
            }
        }
        for (auto each = channels.begin(); each != channels.end();) {
            if (each->second.advance(trunk, trunk.queued() < (1u << 17))) {
                ++each;
                continue;
            }
            ++closed;
            each = channels.erase(each);
        }
        QVERIFY(trunk.flush());
    }
};

}  // namespace

class TrunkTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyByteArrivesOnceAndInOrder() {
        std::mt19937_64 random(freshSeed());
        auto [left, right] = joined();
        Side host{FrameLink(std::move(left)), {}}, here{FrameLink(std::move(right)), {}};
        struct Link {
            Descriptor rank, collector;
            Bytes sent, got;
        };
        std::vector<Link> links;
        constexpr std::size_t mute = 0;  // nobody reads this one
        for (std::uint32_t number = 0; number < 4; ++number) {
            auto [rank, forwarder] = joined();
            auto [launcher, collector] = joined();
            host.channels.try_emplace(number, number, std::move(forwarder));
            here.channels.try_emplace(number, number, std::move(launcher));
            links.push_back({std::move(rank), std::move(collector), {}, {}});
        }
        constexpr std::size_t most = 3 << 20;
        const auto done = [&](const Link& link) {
            return link.sent.size() >= most && link.got.size() == link.sent.size();
        };
        Bytes room(1 << 16);
        for (int round = 0; round < 20000; ++round) {
            for (std::size_t i = 0; i < links.size(); ++i) {
                Link& link = links[i];
                Bytes piece(random() % 20000);
                for (std::byte& byte : piece) byte = static_cast<std::byte>(random());
                if (link.sent.size() < most) {
                    const std::size_t taken = sendSome(link.rank, piece).value_or(0);
                    link.sent.insert(link.sent.end(), piece.begin(),
                                     piece.begin() + static_cast<std::ptrdiff_t>(taken));
                }
                if (i == mute) continue;
                const std::size_t got =
                    receiveSome(link.collector, std::span(room).first(1 + random() % room.size())).value_or(0);
                link.got.insert(link.got.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got));
            }
            host.serve();
            here.serve();
            if (std::all_of(links.begin() + 1, links.end(), done)) break;
        }
        for (std::size_t i = 1; i < links.size(); ++i)
            QVERIFY2(done(links[i]) && links[i].got == links[i].sent, qPrintable(QString::number(i)));
        QVERIFY(links[mute].sent.size() < most);  // held back, and the others were not
    }

    void whatAClosedLinkHasSentStillArrives() {
        auto [left, right] = joined();
        Side host{FrameLink(std::move(left)), {}}, here{FrameLink(std::move(right)), {}};
        auto [rank, forwarder] = joined();
        auto [launcher, collector] = joined();
        host.channels.try_emplace(7, 7, std::move(forwarder));
        here.channels.try_emplace(7, 7, std::move(launcher));
        const Bytes last(5000, std::byte{9});
        QCOMPARE(sendSome(rank, last).value_or(0), last.size());
        rank.close();
        for (int round = 0; round < 50 && here.closed == 0; ++round) {
            host.serve();
            here.serve();
        }
        QCOMPARE(host.closed, std::size_t{1});
        QCOMPARE(here.closed, std::size_t{1});
        Bytes room(10000);
        QCOMPARE(receiveSome(collector, room).value_or(0), last.size());
        QVERIFY(!receiveSome(collector, room).has_value());  // and then its end
    }

    void moreThanTheWindowIsRefused() {
        auto [rank, end] = joined();
        TrunkChannel channel(1, std::move(end));
        QVERIFY(channel.take(Bytes(TrunkChannel::window)));
        QVERIFY(!channel.take(Bytes(1)));
    }

    void bodiesComeBack() {
        const TrunkGreeting greeting{trunkProtocol, 3, 99, 16, true, "node3", "0123"};
        const auto read = decode<TrunkGreeting>(encode(greeting));
        QVERIFY(read && read->host == 3 && read->cores == 16 && read->again && read->name == "node3" &&
                read->token == "0123");
        const Orders orders{2, "{}", {{SharedFile::Need::Same, "/data/x", 77}, {SharedFile::Need::Wished, "/y", 1}}};
        const auto again = decode<Orders>(encode(orders));
        QVERIFY(again && again->attempt == 2 && again->layout == "{}" && again->files.size() == 2 &&
                again->files[0].path == "/data/x" && again->files[1].need == SharedFile::Need::Wished);
        const RankReport report{5, RankReport::State::Stopped, {42, RankPhase::Waiting, 12, 345, 3, 6789, 11}};
        const auto told = decode<RankReport>(encode(report));
        QVERIFY(told && told->rank == 5 && told->state == RankReport::State::Stopped && told->status.pid == 42 &&
                told->status.phase == RankPhase::Waiting && told->status.step == 12 && told->status.action == 345 &&
                told->status.peer == 3 && told->status.heartbeat == 6789 && told->status.pulse == 11);
        const auto cut = [](const auto& value) {
            Bytes body = encode(value);
            body.pop_back();
            return !decode<std::remove_cvref_t<decltype(value)>>(body);
        };
        QVERIFY(cut(greeting) && cut(orders) && cut(report));
    }
};

QTEST_GUILESS_MAIN(TrunkTest)
#include "trunk_test.moc"
