// SPDX-License-Identifier: Apache-2.0
// One end of TLS against a stranger that says what the input says, and both ends with somebody between them who changes
// what the input says: nothing else arrives than was sent, and nobody is let in who does not hold the key.
#include "engine/launch/tls/tls_pass.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

#include <array>
#include <optional>
#include <sys/socket.h>
#include <utility>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

constexpr std::size_t roomy = std::size_t{1} << 16;

/// A listener's pass and its caller's, made once.
struct Passes {
    LinkPass listeners, callers;
};
const Passes& passes() {
    static const Passes made = [] {
        auto listeners = makePass(Protection::Tls);
        require(listeners.has_value(), "a certificate can be made");
        auto callers = readPass(listeners->token);
        require(callers.has_value(), "a token that was just made can be read");
        return Passes{std::move(*listeners), std::move(*callers)};
    }();
    return made;
}

std::pair<Descriptor, Descriptor> socketPair() {
    std::array<int, 2> ends{};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0,
            "there are descriptors left");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// A side that is over says so for good, and why, or that the other has gone.
void requireOver(Transport& transport, const Descriptor& socket) {
    Bytes room(roomy);
    require(!transport.receive(socket, room), "what is over stays so");
    require(transport.fault().size() < 1000, "a fault is a sentence");
}

void stranger(Input& input) {
    const bool listens = input.below(2) == 0;
    const auto [own, theirs] = socketPair();
    const auto transport = (listens ? passes().listeners : passes().callers).security->transport();
    Bytes said, heard, room(roomy), drained(roomy);
    while (!input.empty()) {
        const auto piece = input.bytes(1 + input.below(600));
        const auto sent = sendSome(theirs, piece);
        if (!sent) break;
        require(*sent == piece.size(), "a socket takes a piece whose answer was drained");
        said.insert(said.end(), piece.begin(), piece.end());
        const auto got = transport->receive(own, room);
        if (!got) return requireOver(*transport, own);
        heard.insert(heard.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*got));
        static_cast<void>(receiveSome(theirs, drained));
        require(!transport->established(), "nobody agrees with a stranger");
    }
    require(heard.size() <= said.size() && std::ranges::equal(heard, std::span(said).first(heard.size())),
            "what a caller without TLS says arrives as it was said");
    require(listens || heard.empty(), "a caller hears nothing before both have agreed");
}

/// One direction of a link: what its sender sends, and what arrives.
struct Direction {
    Transport& from;
    const Descriptor& fromSocket;
    Transport& to;
    const Descriptor& toSocket;
    bool mayBePlain;
    Bytes out;
    std::size_t sent = 0;
    Bytes in = {};

    /// False: one of the sides is over.
    bool turn() {
        const auto moved = from.send(fromSocket, std::span(out).subspan(sent));
        if (!moved) return false;
        sent += *moved;
        Bytes room(roomy);
        const auto got = to.receive(toSocket, room);
        if (!got) return false;
        if (*got == 0) return true;
        // A listener takes a caller whose first bytes are not TLS's for one without it, and hears noise.
        if (mayBePlain && !to.established() && to.fault().empty()) return false;
        in.insert(in.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(*got));
        require(in.size() <= sent && std::ranges::equal(in, std::span(out).first(in.size())),
                "what arrives is what was sent");
        return true;
    }
};

/// Passes on what one side said, changed as the input says; whether it was changed.
bool passOn(Input& input, const Descriptor& from, const Descriptor& to) {
    Bytes bytes(1 + input.below(6000));
    if (bytes.size() == 1) bytes.resize(roomy);
    bytes.resize(receiveSome(from, bytes).value_or(0));
    if (bytes.empty()) return false;
    const Bytes before = bytes;
    const auto place = [&] { return bytes.begin() + static_cast<std::ptrdiff_t>(input.below(bytes.size())); };
    switch (input.below(16)) {
    case 1: *place() ^= static_cast<std::byte>(1 + input.below(255)); break;
    case 2: bytes.erase(place()); break;
    case 3: bytes.insert(place(), static_cast<std::byte>(input.below(256))); break;
    case 4: bytes.insert(bytes.end(), before.begin(), before.end()); break;
    case 5: bytes.clear(); break;
    default: break;
    }
    static_cast<void>(sendSome(to, bytes));
    return bytes != before;
}

void between(Input& input) {
    const auto [caller, callersSide] = socketPair();
    const auto [listener, listenersSide] = socketPair();
    const auto calls = passes().callers.security->transport(), listens = passes().listeners.security->transport();
    const auto counted = [](std::size_t count) {
        Bytes bytes(count);
        for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 % 251);
        return bytes;
    };
    Direction up{*calls, caller, *listens, listener, true, counted(1 + input.below(40'000))};
    Direction down{*listens, listener, *calls, caller, false, counted(1 + input.below(40'000))};
    constexpr int mostTurns = 400;
    bool changed = false, over = false;
    for (int turn = 0; turn < mostTurns && !over; ++turn) {
        over = !up.turn() || !down.turn();
        changed = passOn(input, callersSide, listenersSide) || changed;
        changed = passOn(input, listenersSide, callersSide) || changed;
        if (up.in.size() == up.out.size() && down.in.size() == down.out.size()) return;
    }
    require(changed, "a link that nobody harms carries all that is sent");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    input.number<std::uint8_t>() % 2 == 0 ? stranger(input) : between(input);
    return 0;
}
