// SPDX-License-Identifier: Apache-2.0
// A server that means harm, for whoever watches a run: frames with right checksums that hold whatever it likes, in any
// order, too many, too long, cut off, or none. The watch ends or goes on waiting, says why, takes no memory without
// end, can always be left, and what it has copied is a run.
#include "engine/base/file.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/launch/serve/row_frames.h"
#include "engine/launch/serve/run_copy.h"
#include "engine/launch/serve/run_watch.h"
#include "engine/layout/layout_file.h"
#include "engine/trace/record/frame_link.h"
#include "engine/trace/run_file/row_fields.h"
#include "engine/trace/run_file/run_schema.h"
#include "tests/support/seed.h"
#include "tests/launch/served_run.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <poll.h>
#include <sstream>
#include <thread>

using namespace shardlab::test;
using namespace std::chrono_literals;

namespace {

/// Bytes of memory that this process holds.
std::int64_t memoryHeld() {
    std::istringstream words(readFile("/proc/self/statm").value_or(""));
    std::int64_t all = 0, resident = 0;
    words >> all >> resident;
    return resident * 4096;
}

/// Answers calls one after the other: hears the greeting, then does to the caller what it was told to.
class HostileServer {
public:
    using Harm = std::function<void(FrameLink&)>;
    explicit HostileServer(Harm harm) : harm_(std::move(harm)), socket_(std::move(*listenTcp({}, 16))) {
        address_ = boundAddress(socket_, {});
        thread_ = std::thread([this] {
            while (!stopping_) {
                pollfd waiting{socket_.value(), POLLIN, 0};
                if (::poll(&waiting, 1, 20) <= 0) continue;
                if (auto call = acceptCall(socket_)) answer(FrameLink(std::move(*call)));
            }
        });
    }
    ~HostileServer() {
        stopping_ = true;
        thread_.join();
    }
    const TcpAddress& address() const { return address_; }
    int answered() const { return answered_; }

    /// Everything queued goes to the caller. False: it has left.
    bool push(FrameLink& link) const {
        while (link.queued() > 0 && !stopping_) {
            if (!link.flush()) return false;
            if (link.queued() == 0) break;
            pollfd waiting{link.descriptor(), POLLOUT, 0};
            ::poll(&waiting, 1, 20);
        }
        return !stopping_;
    }

private:
    void answer(FrameLink link) {
        Frame frame;
        for (int i = 0; i < 250 && !stopping_; ++i) {
            pollfd waiting{link.descriptor(), POLLIN, 0};
            ::poll(&waiting, 1, 20);
            if (!link.receive()) return;
            if (link.parser().next(frame) == FrameParser::Outcome::Frame) break;
        }
        ++answered_;
        harm_(link);
        push(link);
    }

    Harm harm_;
    Descriptor socket_;
    TcpAddress address_;
    std::atomic<bool> stopping_{false};
    std::atomic<int> answered_{0};
    std::thread thread_;
};

class Listening final : public RunCopy {
public:
    using RunCopy::RunCopy;
    void statusChanged(const WatchStatus& status) override {
        const std::lock_guard lock(mutex_);
        last_ = status;
        if (status.over() || status.state == WatchStatus::State::Lost)
            heard_ = status.reason.empty() ? "it has ended" : status.reason.english();
    }
    WatchStatus last() const {
        const std::lock_guard lock(mutex_);
        return last_;
    }
    /// Why it ended, or the connection.
    std::string reason() const {
        const std::lock_guard lock(mutex_);
        return heard_;
    }

private:
    mutable std::mutex mutex_;
    WatchStatus last_;
    std::string heard_;
};

}  // namespace

class HostileServerTest : public QObject {
    Q_OBJECT
private:
    QTemporaryDir folder_;

    std::filesystem::path file(int number) const {
        return folder_.filePath(QString("copy%1.shardlab").arg(number)).toStdString();
    }
    static WatchOptions options(const HostileServer& server) {
        WatchOptions given;
        given.address = server.address();
        given.pass = plainPass("token");
        given.giveUpAfter = 1ms;
        given.silence = 500ms;
        return given;
    }
    static void welcome(FrameLink& link, std::int64_t newest = 10) {
        link.send(LiveFrame::Welcome, encode(ViewerWelcome{newest, {}}));
    }
    static void begin(FrameLink& link, const Layout& layout = {}) {
        RunHeader header;
        header.layout = layout;
        link.send(LiveFrame::Meta, encode(MetaRow{meta::header, writeHeader(header)}));
        link.send(LiveFrame::Meta, encode(MetaRow{meta::layout, writeLayout(layout)}));
    }

    /// What a watch of that harm has come to say, with the copy as it was left.
    std::string watched(HostileServer::Harm harm, int number) {
        HostileServer server(std::move(harm));
        Listening copy(file(number));
        RunWatch watch(options(server), copy);
        for (int i = 0; i < 3000 && copy.reason().empty(); ++i) std::this_thread::sleep_for(10ms);
        return copy.reason();
    }

private Q_SLOTS:
    /// Any frames, with anything in them.
    void anyFrames() {
        const std::uint32_t seed = freshSeed();
        qInfo("seed %u", seed);
        for (int round = 0; round < 40; ++round) {
            RandomEvents random(seed + static_cast<std::uint32_t>(round));
            const std::string said = watched(
                [&](FrameLink& link) {
                    if (random.below(8) != 0)
                        welcome(link, random.below(4) == 0 ? -random.below(1000) : random.below(1000));
                    if (random.below(4) != 0) begin(link);
                    for (std::int64_t frames = random.below(60); frames > 0; --frames) sendAny(link, random);
                    if (random.below(2) == 0) {
                        Bytes cut;
                        appendFrame(cut, LiveFrame::Log, Bytes(100));
                        cut.resize(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(cut.size()))));
                        link.sendRaw(cut);
                    }
                },
                round);
            QVERIFY2(!said.empty(), qPrintable(QString("seed %1, round %2").arg(seed).arg(round)));
            // Where a copy was begun, it is a run.
            if (!std::filesystem::exists(file(round))) continue;
            const auto whole = WholeRun::read(file(round));
            QVERIFY2(whole, whole ? "" : whole.error().text().c_str());
        }
    }

    /// What would be made into tables is refused before it is.
    void layoutsBeyondAllCounting() {
        const auto told = [&](const Layout& layout, int number) {
            return watched(
                [&](FrameLink& link) {
                    welcome(link);
                    begin(link, layout);
                },
                number);
        };
        Layout wide, deep, tall;
        wide.parallel.data = 2'000'000'000;
        deep.parallel.pipeline = 2'000'000;
        tall.model.layers = 2'000'000'000;
        int number = 100;
        for (const Layout& layout : {wide, deep, tall}) {
            const std::string said = told(layout, number++);
            QVERIFY2(said.find("more ranks, stages or layers than a run can have") != std::string::npos, said.c_str());
        }
    }

    void ranksThatNoRunHas() {
        int number = 110;
        for (const int rank : {-1, 40'000, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
            const std::string said = watched(
                [&](FrameLink& link) {
                    welcome(link);
                    begin(link);
                    link.send(LiveFrame::Rank, encode(RankRecord{rank, "host", 1, "label", "end"}));
                },
                number++);
            QVERIFY2(said.find("it tells of rank " + std::to_string(rank)) != std::string::npos, said.c_str());
        }
    }

    /// A gigabyte of rows before the header is not kept.
    void rowsWithoutEnd_data() {
        QTest::addColumn<bool>("known");
        QTest::newRow("of keys that nobody knows") << false;
        QTest::newRow("of one key") << true;
    }
    void rowsWithoutEnd() {
        QFETCH(bool, known);
        constexpr int frames = 1000;
        const std::string value(1'000'000, 'x');
        const std::int64_t before = memoryHeld();
        std::atomic<std::int64_t> most = before;
        std::atomic<int> sent = 0;
        HostileServer* self = nullptr;
        HostileServer server([&](FrameLink& link) {
            welcome(link);
            for (int i = 0; i < frames; ++i) {
                const std::string key = known ? std::string(meta::end) : "key " + std::to_string(i);
                link.send(LiveFrame::Meta, encode(MetaRow{key, value}));
                if (!self->push(link)) return;
                ++sent;
                most = std::max<std::int64_t>(most, memoryHeld());
            }
        });
        self = &server;
        Listening copy(file(known ? 120 : 121));
        RunWatch watch(options(server), copy);
        QTRY_VERIFY(sent == frames);
        QVERIFY2(most - before < std::int64_t{200} << 20, qPrintable(QString::number(most - before)));
    }

    /// Who says nothing, or never ends a sentence, is left; and a watch can be left at any time.
    void silenceIsLeft() {
        const std::string said = watched(
            [](FrameLink& link) {
                Bytes whole;
                appendFrame(whole, LiveFrame::Meta, Bytes(1000));
                link.sendRaw(std::span(whole).first(500));
                for (int i = 0; i < 100 && link.flush() && link.receive(); ++i) std::this_thread::sleep_for(20ms);
            },
            130);
        QVERIFY2(said.find("nothing was heard any more") != std::string::npos, said.c_str());
    }

private:
    static void sendAny(FrameLink& link, RandomEvents& random) {
        Bytes noise(static_cast<std::size_t>(random.below(200)));
        for (std::byte& each : noise) each = static_cast<std::byte>(random.below(256));
        const std::string text(reinterpret_cast<const char*>(noise.data()), noise.size());
        const auto number = [&] {
            return random.below(2) == 0 ? random.below(100)
                                        : random.below(std::int64_t{1} << 62) - (std::int64_t{1} << 61);
        };
        switch (random.below(9)) {
        case 0: return link.send(static_cast<LiveFrame>(random.below(256)), noise);
        case 1: {
            static const std::vector<std::string> keys{std::string(meta::header),   std::string(meta::layout),
                                                       std::string(meta::restarts), std::string(meta::clocks),
                                                       std::string(meta::end),      "other"};
            const std::string& key = keys[static_cast<std::size_t>(random.below(6))];
            static const std::vector<std::string> values{
                "{}", "[]", "", "{\"restarts\":[{\"time\":1,\"step\":-5}]}", "{\"outcome\":7}", "{\"clocks\":[{}]}"};
            return link.send(
                LiveFrame::Meta,
                encode(MetaRow{key, random.below(3) == 0 ? text : values[static_cast<std::size_t>(random.below(6))]}));
        }
        case 2:
            return link.send(LiveFrame::Rank, encode(RankRecord{static_cast<int>(random.below(6)), text,
                                                                static_cast<int>(number()), text, text}));
        case 3:
            return link.send(LiveFrame::Log,
                             encode(LogRow{number(), LogLine{random.below(1 << 30), static_cast<int>(number()),
                                                             LogLevel::Warning, text}}));
        case 4: return link.send(LiveFrame::Name, encode(NameRow{1 + random.below(1 << 20), text}));
        case 5:
        case 6: {
            const int rank = static_cast<int>(random.below(40'000));
            std::vector<Event> events = random.below(2) == 0
                                            ? random.plausible(1 + static_cast<std::size_t>(random.below(50)), rank)
                                            : random.extreme(1 + static_cast<std::size_t>(random.below(50)));
            for (Event& event : events) {
                event.lane = events.front().lane;
                event.rank = events.front().rank;
            }
            BlockPacker packer;
            BlockPart part;
            part.of = {random.below(4) == 0 ? EventSource::Predicted : EventSource::Measured, events.front().rank,
                       events.front().lane};
            part.block = 1 + random.below(1000);
            part.count = static_cast<std::uint32_t>(random.below(8) == 0 ? random.below(1 << 20)
                                                                         : static_cast<std::int64_t>(events.size()));
            part.packed = packer.pack(events);
            return link.send(LiveFrame::Block, encode(part));
        }
        case 7: return link.send(LiveFrame::Progress, encode(Progress{number(), random.below(2) == 0}));
        default:
            if (random.below(8) == 0) return link.send(LiveFrame::End, encode(RunEnd{text, text}));
            if (random.below(8) == 0) return link.send(LiveFrame::Refusal, encode(text));
            return link.send(LiveFrame::Progress, encode(Progress{1, true}));
        }
    }
};

QTEST_GUILESS_MAIN(HostileServerTest)
#include "hostile_server_test.moc"
