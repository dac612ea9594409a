// SPDX-License-Identifier: Apache-2.0
// The fields of every frame: their bytes stay as they were written down, and what is damaged is refused by name.
#include "engine/launch/hosts/trunk_frames.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/launch/serve/sender_frames.h"
#include "engine/trace/record/wire.h"
#include "engine/trace/run_file/row_fields.h"
#include "tests/support/wings.h"

#include <QByteArray>
#include <QTest>

#include <array>

using namespace shardlab::test;

namespace {

QByteArray hex(const Bytes& bytes) {
    return QByteArray(reinterpret_cast<const char*>(bytes.data()), static_cast<qsizetype>(bytes.size())).toHex();
}

/// Whether `value` is written as these bytes, comes back from them, and no beginning of them is taken for a whole one.
template <class Value>
void goesAs(const Value& value, const char* bytes) {
    const Bytes written = encode(value);
    QCOMPARE(hex(written), QByteArray(bytes));
    const auto read = decode<Value>(written);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QCOMPARE(encode(*read), written);
    Bytes longer = written;
    longer.push_back({});
    if (!decode<Value>(longer)) {  // frames that end with bytes of any length have no longer form
        for (std::size_t size = 0; size < written.size(); ++size)
            QVERIFY(!decode<Value>(std::span(written).first(size)));
    }
}

template <class Value>
std::string refusal(const Value& value) {
    const auto read = decode<Value>(encode(value));
    return read ? "nothing was refused" : read.error().text();
}

}  // namespace

class FrameFieldsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void framesOfRanksKeepTheirBytes() {
        goesAs(Hello{.rank = 3, .pid = 4711, .commandsTaken = 2, .host = "node-1", .token = "t0"},
               "01000000030000006712000002000000066e6f64652d31027430");
        goesAs(ClockLine{-5, 1'000'000'007, 0.000125}, "fbffffffffffffff07ca9a3b00000000fca9f1d24d62203f");
        goesAs(LogLine{-2, 1, LogLevel::Warning, "a \xc2\xb5-line"}, "feffffffffffffff01096120c2b52d6c696e65");
        goesAs(EventName{3, "layer 0"}, "03000000076c617965722030");
        goesAs(std::uint64_t{513}, "0102000000000000");
        goesAs(std::string("wrong token"), "0b77726f6e6720746f6b656e");
    }

    void framesOfHostsKeepTheirBytes() {
        goesAs(TrunkGreeting{trunkProtocol, 3, 99, 16, true, "node3", "t0"},
               "0200000003000000630000001000000001056e6f646533027430");
        goesAs(Orders{2, "{}", {{SharedFile::Need::Same, "/data", 77}, {SharedFile::Need::Wished, "/y", 1}}},
               "02000000027b7d0201052f646174614d00000002022f7901000000");
        goesAs(RankReport{5, RankReport::State::Stopped, {42, RankPhase::Waiting, 12, 345, 3, 6789, 11}},
               "05000000012a000000030c000000590100000000000003000000851a0000000000000b00000000000000");
        goesAs(FetchOrder{5, RankFile::Spool, 4096}, "05000000010010000000000000");
        goesAs(HostReady{"no", "/y", {true, false}}, "026e6f022f790100");
        goesAs(Pong{7, 8, -1}, "07000000000000000800000000000000ffffffffffffffff");
        goesAs(FileFetched{5, RankFile::Spool, "no"}, "0500000001026e6f");
        const Bytes bytes{std::byte{1}, std::byte{2}};
        goesAs(FilePiece{5, RankFile::Flight, bytes}, "05000000000102");
        goesAs(ChannelBytes{9, bytes}, "090000000102");
    }

    void framesOfViewersKeepTheirBytes() {
        goesAs(Greeting{1, CallerRole::Sender, 0x1122334455667788u, "train.py", "t0"},
               "0100000002887766554433221108747261696e2e7079027430");
        goesAs(ViewerWelcome{9, "closed"}, "090000000000000006636c6f736564");
        goesAs(Progress{12, true}, "0c0000000000000001");
        goesAs(RunEnd{"failed", "killed"}, "066661696c6564066b696c6c6564");
        RunPosition position{4, 2, {}};
        position.lanes[{EventSource::Measured, 1, Lane::Comm}] = {300, 17};
        position.lanes[{EventSource::Predicted, -1, Lane::Host}] = {1, 0};
        goesAs(position, "0400000000000000020000000000000002000100000001ac021101ffffffff030100");
        goesAs(MetaRow{"header", "{}"}, "06686561646572027b7d");
        goesAs(RankRecord{1, "h", 42, "dp0", "finished"}, "010000002a0000000168036470300866696e6973686564");
        goesAs(LogRow{7, {-2, 1, LogLevel::Error, "oops"}}, "0700000000000000feffffffffffffff0100000002046f6f7073");
        goesAs(NameRow{3, "gemm"}, "03000000000000000467656d6d");
        const Bytes packed{std::byte{1}, std::byte{2}};
        goesAs(BlockPart{{EventSource::Predicted, 1, Lane::Copy}, 300, 2, 5, packed}, "010100000002ac0202050102");
    }

    void framesOfSendersKeepTheirBytes() {
        goesAs(SenderJoin{1, 4, 99, 1000, -7, "boot", "far"},
               "010000000400000063000000e803000000000000f9ffffffffffffff04626f6f7403666172");
        goesAs(SenderName{5, "load"}, "05000000046c6f6164");
        goesAs(SenderEvents{10,
                            1,
                            {{1, 2, 3, 0.5, 4, 5, 6, 7, EventKind::Forward, Lane::Compute},
                             {8, 9, 0, -1, -1, 0, -1, -1, EventKind::Mark, Lane::Host}}},
               "0a000000000000000100000000000000020000000100000000000000020000000000000003000000000000000000"
               "00000000e03f04000000050000000600000007000000010000000800000000000000090000000000000000000000"
               "00000000000000000000f0bfffffffff00000000ffffffffffffffff78030000");
        goesAs(SenderDoing{7, 2, true, "in 1F0"}, "0700000000000000020000000106696e20314630");
        goesAs(SenderEvents{0, 0, {{1, 1, 0, 0, 0, 0, 1, 2, EventKind::Wait, Lane::Compute, ActionKind::RecvForward}}},
               "00000000000000000000000000000000010000000100000000000000010000000000000000000000000000000000"
               "000000000000000000000000000001000000020000000d000700");
    }

    void aDamagedFieldIsNamed() {
        const Bytes hello = encode(Hello{.host = "node-1"});
        const auto cut = decode<Hello>(std::span(hello).first(18));
        QCOMPARE(cut.error().text(), std::string("damaged hello (host): the bytes end before it does"));
        Bytes longer = hello;
        longer.resize(longer.size() + 2);
        QCOMPARE(decode<Hello>(longer).error().text(),
                 std::string("damaged hello (its end): 2 bytes follow its last field"));
        QCOMPARE(refusal(LogLine{.level = static_cast<LogLevel>(7)}),
                 std::string("damaged log line (level): it is 7. 0 to 2"));
        SenderEvents events{0, 0, std::vector<SenderEvent>(3, {.kind = EventKind::Mark})};
        events.events[1].bytes = -4;
        QCOMPARE(refusal(events), std::string("damaged events (event 2, bytes): it is -4. 0 or more"));
        events.events.assign(mostSenderEvents + 1, {.kind = EventKind::Mark});
        QCOMPARE(refusal(events), std::string("damaged events (event): it is 4097. 0 to 4096"));
    }

    /// What a later protocol says after its number is not known here; that it is another one is.
    void anotherProtocolIsReadUpToItsNumber() {
        Bytes greeting = encode(TrunkGreeting{.protocol = trunkProtocol + 1, .host = 3});
        greeting.push_back({});
        const auto read = decode<TrunkGreeting>(greeting);
        QVERIFY(read);
        QCOMPARE(read->protocol, trunkProtocol + 1);
        QCOMPARE(read->host, 0);
    }

    /// A lane that is named twice would be counted once.
    void aPositionNamesEachLaneOnce() {
        RunPosition position;
        position.lanes[{}] = {1, 2};
        Bytes twice = encode(position);
        const Bytes lane(twice.begin() + 17, twice.end());
        twice[16] = std::byte{2};
        twice.insert(twice.end(), lane.begin(), lane.end());
        QCOMPARE(decode<RunPosition>(twice).error().text(),
                 std::string("damaged position (lane): it names something twice"));
    }

    void countsThatCannotBeTakeNoMemory() {
        const Bytes orders = encode(Orders{});
        Bytes many(orders.begin(), orders.end() - 1);
        ByteWriter(many).varint(~std::uint64_t{0});
        QVERIFY(!decode<Orders>(many));
    }
};

QTEST_GUILESS_MAIN(FrameFieldsTest)
#include "frame_fields_test.moc"
