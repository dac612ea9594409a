// SPDX-License-Identifier: Apache-2.0
// A run served over TCP: every viewer gets all of it, however late it joins and whatever its link does; strangers get
// nothing and are counted; nobody holds up anybody else.
#include "engine/launch/serve/run_server.h"

#include "engine/base/clock.h"
#include "engine/base/token.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/trace/run_file/row_fields.h"
#include "engine/launch/serve/run_watch.h"
#include "tests/support/seed.h"
#include "tests/launch/copying.h"
#include "tests/launch/cutting_proxy.h"
#include "tests/launch/served_run.h"
#include "tests/support/wings.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <poll.h>
#include <sys/socket.h>

using namespace shardlab::test;
using namespace std::chrono_literals;

namespace {

Bytes greeting(const std::string& token, CallerRole role = CallerRole::Viewer, std::uint32_t protocol = liveProtocol) {
    Bytes bytes;
    appendFrame(bytes, LiveFrame::Greeting, encode(Greeting{protocol, role, 7, "test", token}));
    return bytes;
}

}  // namespace

class RunServerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void viewersGetEverythingHoweverLateTheyJoin() {
        ServedRun run(path("run"), freshSeed());
        auto server = serve(run);
        QVERIFY(server);
        constexpr int viewers = 4;
        std::vector<std::unique_ptr<Copying>> copies;
        std::vector<std::unique_ptr<RunWatch>> watches;
        const int apart = static_cast<int>(1 + run.random().below(4));
        for (int i = 0; i < viewers * apart; ++i) {
            if (i % apart == 0) {
                copies.push_back(std::make_unique<Copying>(path(QString("copy%1").arg(copies.size()))));
                watches.push_back(std::make_unique<RunWatch>(options(*server), *copies.back()));
            }
            run.grow();
        }
        for (const auto& copy : copies) QTRY_VERIFY_WITH_TIMEOUT(copy->is(WatchStatus::State::Live), 20000);
        run.grow();
        end(run, *server, {"finished", ""});
        const auto original = WholeRun::read(run.file);
        QVERIFY(original);
        for (int i = 0; i < viewers; ++i) {
            QTRY_VERIFY_WITH_TIMEOUT(copies[static_cast<std::size_t>(i)]->is(WatchStatus::State::Ended), 20000);
            watches[static_cast<std::size_t>(i)].reset();
            const auto copy = WholeRun::read(path(QString("copy%1").arg(i)));
            QVERIFY(copy);
            QVERIFY(*copy == *original);
        }
        QCOMPARE(server->counts().welcomed, viewers);
        QCOMPARE(server->counts().complete, viewers);
        QCOMPARE(server->counts().refused(), 0);
        // What was served is one file again.
        for (const char* suffix : {"-wal", "-shm"})
            QVERIFY(!QFile::exists(QString::fromStdString(run.file.string()) + suffix));
    }

    void lostConnectionsGoOnWhereTheyWere() {
        const std::uint64_t seed = freshSeed();
        ServedRun run(path("run"), seed);
        auto server = serve(run);
        QVERIFY(server);
        auto front = listenTcp({}, 16);
        QVERIFY(front);
        WatchOptions through = options(*server);
        through.address = boundAddress(*front, {});
        constexpr int cuts = 8;
        CuttingProxy proxy(
            std::move(*front), [to = server->address()] { return connectTcp(to, 5s, WakeUp()); }, seed + 1, cuts,
            200'000);
        Copying copy(path("copy"));
        auto watch = std::make_unique<RunWatch>(through, copy);
        // A connection that is cut before its welcome is the first one's end.
        for (int i = 0; i < 40 && copy.is(WatchStatus::State::Failed); ++i)
            watch = std::make_unique<RunWatch>(through, copy);
        for (int i = 0; i < 60 && proxy.cuts() < cuts; ++i) {
            run.grow();
            QTest::qWait(100);
            if (copy.is(WatchStatus::State::Failed)) watch = std::make_unique<RunWatch>(through, copy);
        }
        QVERIFY(QTest::qWaitFor([&] {
            if (copy.is(WatchStatus::State::Failed)) watch = std::make_unique<RunWatch>(through, copy);
            return copy.is(WatchStatus::State::Live);
        }));
        end(run, *server, {"failed", "a rank died"});
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Ended), 20000);
        watch.reset();
        const auto original = WholeRun::read(run.file);
        const auto copied = WholeRun::read(path("copy"));
        QVERIFY(original && copied);
        QVERIFY(*original == *copied);
        QVERIFY(proxy.cuts() > 0);
        QVERIFY(copy.losses() > 0);
    }

    /// A viewer that never reads is dropped and told so; the others, and the end of the run, do not wait for it.
    void aViewerThatReadsNothingHoldsNobodyUp() {
        ServedRun run(path("run"), freshSeed(), 8);
        ServeOptions given = serveOptions();
        given.stallLimit = 2000ms;  // longer than an honest viewer needs for a piece, on a busy disk too
        given.lastStallLimit = 2000ms;
        auto server = serve(run, given);
        QVERIFY(server);
        auto deaf = call(*server);
        const int small = 4096;
        ::setsockopt(deaf.value(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        say(deaf, greeting(token));
        Bytes from;
        appendFrame(from, LiveFrame::From, encode(RunPosition{}));
        say(deaf, from);
        Copying copy(path("copy"));
        RunWatch watch(options(*server), copy);
        for (int i = 0; i < 40; ++i) run.grow(20'000);  // far more than lies in sockets
        QTRY_COMPARE(server->counts().stalled, 1);
        end(run, *server, {"finished", ""});
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Ended), 20000);
        QVERIFY(*WholeRun::read(run.file) == *WholeRun::read(path("copy")));
        QVERIFY(server->counts().text().find("1 dropped") != std::string::npos);
    }

    /// The end of the run does not wait for a viewer that reads nothing either.
    void theEndLeavesADeafViewerBehind() {
        ServedRun run(path("run"), freshSeed(), 8);
        ServeOptions given = serveOptions();
        given.lastStallLimit = 200ms;
        auto server = serve(run, given);
        QVERIFY(server);
        auto deaf = call(*server);
        const int small = 4096;
        ::setsockopt(deaf.value(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        say(deaf, greeting(token));
        Bytes from;
        appendFrame(from, LiveFrame::From, encode(RunPosition{}));
        say(deaf, from);
        for (int i = 0; i < 20; ++i) run.grow(20'000);
        end(run, *server, {"finished", ""});
        QCOMPARE(server->counts().stalled + server->counts().complete, 1);
    }

    void aDroppedViewerIsToldWhenItComesBack() {
        ServedRun run(path("run"), freshSeed(), 8);
        ServeOptions given = serveOptions();
        given.stallLimit = 200ms;
        auto server = serve(run, given);
        QVERIFY(server);
        {
            auto deaf = call(*server);
            const int small = 4096;
            ::setsockopt(deaf.value(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
            say(deaf, greeting(token));
            Bytes from;
            appendFrame(from, LiveFrame::From, encode(RunPosition{}));
            say(deaf, from);
            for (int i = 0; i < 40; ++i) run.grow(20'000);
            QTRY_COMPARE(server->counts().stalled, 1);
        }
        FrameLink back(call(*server));
        back.sendRaw(greeting(token));
        QVERIFY(back.flush());
        Frame frame;
        QVERIFY(QTest::qWaitFor(
            [&] { return back.receive() && back.parser().next(frame) == FrameParser::Outcome::Frame; }));
        const auto welcome = decode<ViewerWelcome>(frame.body);
        QVERIFY(welcome);
        QVERIFY2(welcome->notice.find("nothing was taken for 0.2 s") != std::string::npos, welcome->notice.c_str());
    }

    void tenThousandWrongTokensAreRefused() {
        ServedRun run(path("run"), freshSeed());
        auto server = serve(run);
        QVERIFY(server);
        constexpr int guesses = 10'000;
        for (int i = 0; i < guesses; ++i) {
            // As long as the right one, most of them nearly it.
            std::string guess = token;
            guess[static_cast<std::size_t>(run.random().below(static_cast<std::int64_t>(guess.size())))] = '!';
            auto link = call(*server);
            say(link, greeting(guess));
            QVERIFY(closes(link));
        }
        QTRY_COMPARE(server->counts().wrongToken, guesses);
        QCOMPARE(server->counts().welcomed, 0);
        Copying copy(path("copy"));
        RunWatch watch(options(*server), copy);
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Live), 20000);
        QVERIFY2(server->counts().text().find("10000 wrong tokens") != std::string::npos,
                 server->counts().text().c_str());
    }

    void strangersAreRefusedAndCounted() {
        ServedRun run(path("run"), freshSeed());
        ServeOptions given = serveOptions();
        given.handshake = 2000ms;  // long enough for whoever speaks
        given.mostViewers = 1;
        auto server = serve(run, given);
        QVERIFY(server);
        const auto refused = [&](const Bytes& bytes) {
            auto link = call(*server);
            say(link, bytes);
            return closes(link);
        };
        for (int i = 0; i < 20; ++i) {
            Bytes noise(300);
            for (std::byte& byte : noise) byte = static_cast<std::byte>(run.random().below(256));
            QVERIFY(refused(noise));
        }
        Bytes impatient;
        appendFrame(impatient, LiveFrame::From, encode(RunPosition{}));
        QVERIFY(refused(impatient));
        QTRY_COMPARE(server->counts().garbage + server->counts().oversized, 21);
        QVERIFY(refused(greeting(token, CallerRole::Viewer, 99)));
        QVERIFY(refused(greeting(token, CallerRole::Sender)));
        QTRY_COMPARE(server->counts().wrongGreeting, 2);
        QVERIFY(refused(greeting("")));
        QTRY_COMPARE(server->counts().wrongToken, 1);

        // Before the token is shown even 1 MiB is too long; after it, more than 1 MiB.
        const std::int64_t oversized = server->counts().oversized;
        Bytes large(16);
        const std::uint32_t length = 5000;
        std::memcpy(large.data(), &length, sizeof length);
        QVERIFY(refused(large));
        QTRY_COMPARE(server->counts().oversized, oversized + 1);
        Bytes joined = greeting(token);
        const std::uint32_t tooLong = largestFrame + 1;
        const auto* raw = reinterpret_cast<const std::byte*>(&tooLong);
        joined.insert(joined.end(), raw, raw + 4);
        joined.insert(joined.end(), 4, std::byte{});
        QVERIFY(refused(joined));
        QTRY_COMPARE(server->counts().oversized, oversized + 2);

        auto silent = call(*server);
        QVERIFY(closes(silent));
        QTRY_COMPARE(server->counts().slowHandshake, 1);
        // Having shown the token is not enough: what is wanted must be said in time too.
        auto vague = call(*server);
        say(vague, greeting(token));
        QVERIFY(closes(vague));
        QTRY_COMPARE(server->counts().slowHandshake, 2);

        // An honest viewer is served all the same; one more than may be is told so.
        Copying copy(path("copy"));
        RunWatch watch(options(*server), copy);
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Live), 20000);
        Copying second(path("second"));
        RunWatch tooMany(options(*server), second);
        QTRY_VERIFY_WITH_TIMEOUT(second.is(WatchStatus::State::Failed), 20000);
        QVERIFY2(second.reasons().find("as many as may be") != std::string::npos, second.reasons().c_str());
        QTRY_COMPARE(server->counts().tooMany, 1);
        QVERIFY(!QFile::exists(QString::fromStdString(path("second").string())));
    }

    void whoeverCannotWatchIsToldWhy() {
        ServedRun run(path("run"), freshSeed());
        auto server = serve(run);
        QVERIFY(server);
        WatchOptions wrong = options(*server);
        wrong.pass = plainPass("guess");
        Copying copy(path("copy"));
        {
            RunWatch watch(wrong, copy);
            QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Failed), 20000);
        }
        QVERIFY2(copy.reasons().find("wrong token") != std::string::npos, copy.reasons().c_str());
        const TcpAddress gone = server->address();
        server.reset();
        Copying nobody(path("nobody"));
        RunWatch watch(WatchOptions{gone, plainPass(token)}, nobody);
        QTRY_VERIFY_WITH_TIMEOUT(nobody.is(WatchStatus::State::Failed), 20000);
        QVERIFY2(nobody.reasons().find("refused") != std::string::npos, nobody.reasons().c_str());
    }

    void addressesAreReadAsPeopleWriteThem() {
        QCOMPARE(parseTcpAddress("7000")->text(), std::string("127.0.0.1:7000"));
        QCOMPARE(parseTcpAddress("node3:0")->text(), std::string("node3:0"));
        QCOMPARE(parseTcpAddress("[::1]:65535")->text(), std::string("[::1]:65535"));
        for (const char* wrong :
             {"", ":", ":7000", "node:", "node:65536", "node:-1", "node:7000 ", "::1:7000", "[]:7000", "7000x"})
            QVERIFY2(!parseTcpAddress(wrong), wrong);
        auto taken = listenTcp({}, 1);
        QVERIFY(taken);
        const auto refused = listenTcp(boundAddress(*taken, {}), 1);
        QVERIFY(!refused);
        QVERIFY(refused.error().legal.english().find("Another port") != std::string::npos);
        QVERIFY(!listenTcp({"192.0.2.1", 0}, 1));  // of documentation's own network: no machine's
    }

    void tokensAreKeptFromOthers() {
        const std::filesystem::path file = path("token");
        const auto first = randomToken();
        const auto second = randomToken();
        QVERIFY(first && second && *first != *second && first->size() == 32);
        QVERIFY(QFile(QString::fromStdString(file.string())).open(QIODevice::WriteOnly));  // readable by all
        QVERIFY(writeToken(file, *first));
        QCOMPARE(QFileInfo(QString::fromStdString(file.string())).permissions() & (QFile::ReadGroup | QFile::ReadOther),
                 QFile::Permissions());
        QCOMPARE(*readToken(file), *first);
        QVERIFY(!readToken(path("none")));
        // What gives bytes without end is not read to it.
        const auto endless = readToken("/dev/zero");
        QVERIFY(!endless);
        QVERIFY2(endless.error().text().find("it has more than") != std::string::npos, endless.error().text().c_str());
        QVERIFY(sameToken(*first, *first));
        QVERIFY(!sameToken(*first, *second));
        QVERIFY(!sameToken(*first, *first + "0"));
        QVERIFY(!sameToken(*first, ""));
        QVERIFY(!sameToken("", ""));
    }

private:
    static constexpr const char* token = "0123456789abcdef0123456789abcdef";

    std::filesystem::path path(const QString& name) const {
        return folder_->filePath(name + ".shardlab").toStdString();
    }
    static ServeOptions serveOptions() {
        ServeOptions given;
        given.pass = plainPass(token);
        return given;
    }
    static std::unique_ptr<RunServer> serve(const ServedRun& run, const ServeOptions& given = serveOptions()) {
        auto server = RunServer::listen(given);
        if (!server) return nullptr;
        (*server)->serve(run.file);
        return std::move(*server);
    }
    static WatchOptions options(const RunServer& server) { return {server.address(), plainPass(token)}; }
    /// As a job ends.
    static void end(ServedRun& run, RunServer& server, const RunEnd& how) {
        server.release();
        run.finish(how);
        server.conclude(how, std::atomic<bool>(false));
    }
    static Descriptor call(const RunServer& server) {
        auto link = connectTcp(server.address(), 5s, WakeUp());
        if (!link) qFatal("%s", link.error().text().c_str());
        return std::move(*link);
    }
    static void say(const Descriptor& link, const Bytes& bytes) {
        QCOMPARE(sendSome(link, bytes), std::optional(bytes.size()));
    }
    static bool closes(const Descriptor& link) {
        std::array<std::byte, 512> room{};
        const std::int64_t until = monotonicNanoseconds() + 10'000'000'000;
        while (monotonicNanoseconds() < until) {
            pollfd waiting{link.value(), POLLIN, 0};
            ::poll(&waiting, 1, 100);
            if (!receiveSome(link, room)) return true;
        }
        return false;
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(RunServerTest)
#include "run_server_test.moc"
