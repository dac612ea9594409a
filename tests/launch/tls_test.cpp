// SPDX-License-Identifier: Apache-2.0
// TLS on the links over which runs are watched and told: a caller shows its secret to the listener that its token names
// and to nobody else, whoever speaks otherwise gets one sentence, and nobody is held up by a handshake that goes wrong.
#include "engine/base/tcp_socket.h"
#include "engine/launch/serve/live_frames.h"
#include "engine/launch/serve/run_server.h"
#include "engine/launch/tls/tls_pass.h"
#include "engine/trace/run_file/row_fields.h"
#include "tests/launch/copying.h"
#include "tests/launch/served_run.h"
#include "tests/support/seed.h"
#include "tests/support/wings.h"

#include <QTemporaryDir>
#include <QTest>

#include <poll.h>
#include <sys/socket.h>

using namespace shardlab::test;
using namespace std::chrono_literals;

namespace {

LinkPass freshPass(Protection protection = Protection::Tls) {
    auto pass = makePass(protection);
    if (!pass) qFatal("%s", pass.error().text().c_str());
    return std::move(*pass);
}

LinkPass callersPass(const LinkPass& listeners) {
    auto pass = readPass(listeners.token);
    if (!pass) qFatal("%s", pass.error().text().c_str());
    return std::move(*pass);
}

std::pair<Descriptor, Descriptor> socketPair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) qFatal("socketpair");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// All bytes that a caller says first, to a listener that never answers.
Bytes hello(const LinkPass& pass) {
    auto [caller, listener] = socketPair();
    const auto transport = callersPass(pass).security->transport();
    Bytes room(std::size_t{1} << 16);
    if (transport->receive(caller, room) != std::optional<std::size_t>(0)) qFatal("no handshake begins");
    room.resize(receiveSome(listener, room).value_or(0));
    return room;
}

/// Both ends of a link in memory, and who is in between: what one sends is passed to the other in pieces of any size,
/// as long as `harm` does nothing else to it.
struct Between {
    using Harm = std::function<void(Bytes&)>;
    Between(const LinkPass& pass, std::uint64_t seed, Harm does = {})
        : random(seed), harm(std::move(does)), listeners(pass.security->transport()),
          callers(callersPass(pass).security->transport()) {
        std::tie(caller, callersSide) = socketPair();
        std::tie(listener, listenersSide) = socketPair();
    }
    void pass(const Descriptor& from, const Descriptor& to, bool harmful) {
        Bytes room(static_cast<std::size_t>(1 + random.below(6000)));
        room.resize(receiveSome(from, room).value_or(0));
        if (harmful && harm && !room.empty()) harm(room);
        if (!room.empty() && sendSome(to, room) != room.size()) qFatal("a socket's buffer is full");
    }
    /// Each side sends `count` bytes to the other; true: all have arrived as they were.
    bool exchange(std::size_t count) {
        Bytes toListener(count), toCaller(count), atListener, atCaller;
        for (Bytes* bytes : {&toListener, &toCaller})
            for (std::byte& each : *bytes) each = static_cast<std::byte>(random.below(256));
        std::size_t sent = 0, answered = 0;
        Bytes room(std::size_t{1} << 16);
        const auto turn = [&](Transport& transport, const Descriptor& socket, const Bytes& out, std::size_t& gone,
                              Bytes& in) {
            const auto most = static_cast<std::size_t>(1 + random.below(40'000));
            const auto moved =
                transport.send(socket, std::span(out).subspan(gone).first(std::min(most, out.size() - gone)));
            gone += moved.value_or(0);
            const auto got = transport.receive(socket, room);
            in.insert(in.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(got.value_or(0)));
            return got.has_value();
        };
        for (int i = 0; i < 100'000 && (atListener.size() < count || atCaller.size() < count); ++i) {
            const bool callerLives = turn(*callers, caller, toListener, sent, atCaller);
            pass(callersSide, listenersSide, true);
            const bool listenerLives = turn(*listeners, listener, toCaller, answered, atListener);
            pass(listenersSide, callersSide, false);
            if (!callerLives || !listenerLives) break;
        }
        return atListener == toListener && atCaller == toCaller;
    }

    RandomEvents random;
    Harm harm;
    std::unique_ptr<Transport> listeners, callers;
    Descriptor caller, callersSide, listener, listenersSide;
};

}  // namespace

class TlsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }

    void tokensSayWhetherTlsIsSpoken() {
        const LinkPass pass = freshPass();
        QCOMPARE(pass.token.size(), std::size_t{3 + 64 + 32});
        QVERIFY(pass.token.starts_with("tls") && pass.token.ends_with(pass.secret) && pass.secret.size() == 32);
        QVERIFY(freshPass().token.substr(0, 67) != pass.token.substr(0, 67));  // a key of its own
        const LinkPass read = callersPass(pass);
        QCOMPARE(read.secret, pass.secret);
        QVERIFY(read.security && pass.security);

        const LinkPass plain = freshPass(Protection::Plain);
        QVERIFY(!plain.security && plain.token == plain.secret && plain.secret.size() == 32);
        QVERIFY(!callersPass(plain).security);

        // A token that was cut off or misspelt is never taken for a plain one.
        for (std::size_t length = 3; length < pass.token.size(); ++length)
            QVERIFY2(!readPass(pass.token.substr(0, length)), pass.token.c_str());
        for (std::size_t i = 3; i < pass.token.size(); ++i) {
            std::string wrong = pass.token;
            wrong[i] = 'g';
            const auto refused = readPass(wrong);
            QVERIFY(!refused);
            QVERIFY2(refused.error().text().find("96 hexadecimal digits") != std::string::npos,
                     refused.error().text().c_str());
        }
        QVERIFY(!readPass(pass.token + "0"));
    }

    void bytesArriveAsTheyWereWhateverThePieces() {
        const LinkPass pass = freshPass();
        for (int i = 0; i < 10; ++i) {
            Between between(pass, freshSeed());
            QVERIFY(between.exchange(static_cast<std::size_t>(between.random.below(200'000))));
            QVERIFY(between.callers->fault().empty() && between.listeners->fault().empty());
            QVERIFY(between.exchange(1000) && between.listeners->established());
        }
    }

    /// One bit of what is said after the handshake: nothing false is taken for true, and it is said.
    void changedBytesAreNoticed() {
        const LinkPass pass = freshPass();
        for (int i = 0; i < 40; ++i) {
            std::int64_t before = 0;
            Between* self = nullptr;
            Between between(pass, freshSeed(), [&](Bytes& bytes) {
                if (!self->listeners->established() || before < 0) return;
                if ((before -= static_cast<std::int64_t>(bytes.size())) >= 0) return;
                auto& byte =
                    bytes[static_cast<std::size_t>(self->random.below(static_cast<std::int64_t>(bytes.size())))];
                byte ^= static_cast<std::byte>(1 << self->random.below(8));
            });
            self = &between;
            before = between.random.below(5'000);
            QVERIFY(!between.exchange(20'000));
            QVERIFY(before < 0);
            QVERIFY2(between.listeners->fault().starts_with("what arrived over TLS was damaged"),
                     between.listeners->fault().c_str());
        }
    }

    void aRunIsWatched() {
        ServedRun run(path("run"), freshSeed());
        const LinkPass pass = freshPass();
        auto server = serve(run, pass);
        Copying copy(path("copy"));
        auto watch = std::make_unique<RunWatch>(WatchOptions{server->address(), callersPass(pass)}, copy);
        for (int i = 0; i < 10; ++i) run.grow();
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Live), 60'000);
        run.grow();
        server->release();
        run.finish({"finished", ""});
        server->conclude({"finished", ""}, std::atomic<bool>(false));
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Ended), 60'000);
        watch.reset();
        const auto original = WholeRun::read(run.file), copied = WholeRun::read(path("copy"));
        QVERIFY(original && copied && *original == *copied);
        QCOMPARE(server->counts().refused(), 0);
    }

    /// Somebody in between, or in the place of the one who was there, has another certificate: no secret is shown.
    void anotherCertificateIsRefused() {
        ServedRun run(path("run"), freshSeed());
        const LinkPass named = freshPass();
        LinkPass shown = freshPass();
        shown.secret = named.secret;  // had it been shown it would have been right
        auto server = serve(run, shown);
        QCOMPARE(told(*server, named),
                 std::string("its certificate is not the one that the token names: the token is another service's, or "
                             "somebody stands in between\n"));
        QTRY_COMPARE(server->counts().failedTls, 1);
        QCOMPARE(server->counts().refused(), 1);
        QCOMPARE(server->counts().welcomed, 0);
        QVERIFY2(server->counts().text().find("1 failed handshake of TLS") != std::string::npos,
                 server->counts().text().c_str());
    }

    void aWrongSecretIsRefused() {
        ServedRun run(path("run"), freshSeed());
        const LinkPass pass = freshPass();
        auto server = serve(run, pass);
        LinkPass guessed = pass;
        guessed.token.back() = guessed.token.back() == '0' ? '1' : '0';
        QCOMPARE(told(*server, guessed), std::string("refused: wrong token\n"));
        QTRY_COMPARE(server->counts().wrongToken, 1);
    }

    void whoeverSpeaksOtherwiseIsToldSo() {
        ServedRun run(path("run"), freshSeed());
        const LinkPass pass = freshPass();
        const LinkPass plain = plainPass(pass.secret);
        auto server = serve(run, pass);
        QCOMPARE(told(*server, plain), std::string("refused: ") + tlsIsSpoken + "\n");
        QTRY_COMPARE(server->counts().wrongGreeting, 1);
        QCOMPARE(server->counts().refused(), 1);
        QCOMPARE(server->counts().wrongToken, 0);

        server = serve(run, plain);
        const std::string said = told(*server, pass);
        QVERIFY2(said.find("what listens there may not speak TLS\n") != std::string::npos, said.c_str());
        QTRY_COMPARE(server->counts().oversized, 1);
        QCOMPARE(server->counts().welcomed, 0);

        // What listens there is something else altogether, and speaks first.
        auto other = listenTcp({});
        QVERIFY(other);
        Copying copy(path("other"));
        RunWatch watch(WatchOptions{boundAddress(*other, {}), callersPass(pass)}, copy);
        std::optional<Descriptor> call;
        QVERIFY(QTest::qWaitFor([&] { return (call = acceptCall(*other)).has_value(); }));
        const std::string words = "220 mail.example ESMTP\r\n";
        QVERIFY(sendSome(*call, std::as_bytes(std::span(words))) == words.size());
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Failed), 60'000);
        QVERIFY2(copy.reasons().starts_with("the other side does not speak TLS 1.3, which the token asks for"),
                 copy.reasons().c_str());
    }

    /// As many as may be at a time stop in the middle of their handshakes: whoever comes then is let in all the same.
    void handshakesThatStallHoldNobodyUp() {
        ServedRun run(path("run"), freshSeed());
        const LinkPass pass = freshPass();
        auto server = serve(run, pass);
        const Bytes whole = hello(pass);
        constexpr int stalled = 63;
        std::vector<Descriptor> callers;
        for (int i = 0; i < stalled; ++i) {
            callers.push_back(call(*server));
            const auto said = std::span(whole).first(static_cast<std::size_t>(
                run.random().below(static_cast<std::int64_t>(whole.size() + 1))));  // none, a part, or all of it
            QVERIFY(sendSome(callers.back(), said) == said.size());
        }
        Copying copy(path("copy"));
        const RunWatch watch(WatchOptions{server->address(), callersPass(pass)}, copy);
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Live), 60'000);
        QTRY_COMPARE_WITH_TIMEOUT(server->counts().slowHandshake, stalled, 60'000);
        QCOMPARE(server->counts().refused(), stalled);
    }

    void handshakesOfGarbageAreCounted() {
        ServedRun run(path("run"), freshSeed());
        const LinkPass pass = freshPass();
        auto server = serve(run, pass);
        const Bytes whole = hello(pass);
        const auto any = [&](std::size_t end) {
            return static_cast<std::size_t>(run.random().below(static_cast<std::int64_t>(end)));
        };
        constexpr int calls = 200;
        for (int i = 0; i < calls; ++i) {
            Bytes said = whole;
            if (i % 2 == 0) {  // after the record's length all is noise
                said.resize(5);
                for (std::size_t more = any(400); more > 0; --more) said.push_back(static_cast<std::byte>(any(256)));
            } else {
                said[any(said.size())] ^= static_cast<std::byte>(1 + any(255));
            }
            const Descriptor caller = call(*server);
            QVERIFY(sendSome(caller, said) == said.size());
            if (any(4) != 0) continue;  // it has gone when it would be answered
            Bytes room(4096);
            pollfd waiting{caller.value(), POLLIN, 0};
            ::poll(&waiting, 1, 5);
            static_cast<void>(receiveSome(caller, room));
        }
        Copying copy(path("copy"));
        const RunWatch watch(WatchOptions{server->address(), callersPass(pass)}, copy);
        QTRY_VERIFY_WITH_TIMEOUT(copy.is(WatchStatus::State::Live), 60'000);
        QCOMPARE(server->counts().welcomed, 1);
        QVERIFY(server->counts().failedTls > 0);
    }

private:
    std::filesystem::path path(const QString& name) const {
        return folder_->filePath(name + ".shardlab").toStdString();
    }
    static std::unique_ptr<RunServer> serve(const ServedRun& run, const LinkPass& pass) {
        ServeOptions options;
        options.pass = pass;
        auto server = RunServer::listen(options);
        if (!server) qFatal("%s", server.error().text().c_str());
        (*server)->serve(run.file);
        return std::move(*server);
    }
    /// What a viewer with the token of `pass` hears until its watch has failed.
    std::string told(const RunServer& server, const LinkPass& pass) const {
        Copying copy(path("told"));
        const RunWatch watch(WatchOptions{server.address(), callersPass(pass)}, copy);
        static_cast<void>(QTest::qWaitFor([&] { return copy.is(WatchStatus::State::Failed); }));
        return copy.reasons();
    }
    static Descriptor call(const RunServer& server) {
        auto link = connectTcp(server.address(), 5s, WakeUp());
        if (!link) qFatal("%s", link.error().text().c_str());
        return std::move(*link);
    }

    std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(TlsTest)
#include "tls_test.moc"
