// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/tls/tls_transport.h"

#include <algorithm>
#include <fmt/format.h>
#include <openssl/err.h>

namespace shardlab::launch {
namespace {

/// A read with so much room takes a whole record, so that nothing waits where poll(2) does not see it.
constexpr std::size_t largestRecord = SSL3_RT_MAX_PLAIN_LENGTH;
/// A handshake begins with the type of its record and that record's version, 3.1 or later. The first frame of a caller
/// without TLS has its length there, which would be more than a greeting's.
constexpr std::size_t beginning = 3;
bool beginsHandshake(const Bytes& first) {
    return first[0] == std::byte{22} && first[1] == std::byte{3} && first[2] != std::byte{0};
}

std::string reason() {
    const char* const text = ERR_reason_error_string(ERR_peek_error());
    return text == nullptr ? "no reason is known" : text;
}

}  // namespace

std::optional<Fingerprint> fingerprintOf(const X509* certificate) {
    Fingerprint fingerprint{};
    unsigned size = 0;
    if (certificate == nullptr || X509_digest(certificate, EVP_sha256(), fingerprint.data(), &size) != 1 ||
        size != fingerprint.size())
        return std::nullopt;
    return fingerprint;
}

TlsTransport::TlsTransport(SSL_CTX* context, std::optional<Fingerprint> expected)
    : ssl_(SSL_new(context)), expected_(expected), manner_(expected ? Manner::Tls : Manner::Unknown) {
    BIO* const bio = ssl_ && method() != nullptr ? BIO_new(method()) : nullptr;
    if (bio == nullptr) {
        fault_ = "OpenSSL has no memory for a connection";
        return;
    }
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_app_data(ssl_.get(), this);
    if (expected_) SSL_set_connect_state(ssl_.get());
    else SSL_set_accept_state(ssl_.get());
}

void TlsTransport::decide() {
    std::array<std::byte, beginning> room{};
    const auto count = receiveSome(*socket_, std::span(room).first(beginning - first_.size()));
    gone_ = !count;
    first_.insert(first_.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(count.value_or(0)));
    if (first_.size() == beginning) manner_ = beginsHandshake(first_) ? Manner::Tls : Manner::Plain;
}

std::size_t TlsTransport::takeFirst(std::span<std::byte> room) {
    const std::size_t count = std::min(first_.size(), room.size());
    std::copy_n(first_.begin(), count, room.begin());
    first_.erase(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
}

std::optional<std::size_t> TlsTransport::receive(const Descriptor& socket, std::span<std::byte> room) {
    socket_ = &socket;
    if (manner_ == Manner::Unknown && !over()) decide();
    if (over()) return std::nullopt;
    if (manner_ == Manner::Unknown) return 0;
    if (manner_ == Manner::Plain) return first_.empty() ? receiveSome(socket, room) : takeFirst(room);
    std::size_t got = 0;
    while (room.size() - got >= largestRecord) {
        ERR_clear_error();
        const int count = SSL_read(ssl_.get(), &room[got], static_cast<int>(room.size() - got));
        agreed_ = agreed_ || SSL_is_init_finished(ssl_.get()) == 1;
        if (count <= 0) {
            if (!outcome(count) && got == 0) return std::nullopt;
            break;  // what came before the end counts; the end is told at the next call
        }
        got += static_cast<std::size_t>(count);
    }
    return got;
}

std::optional<std::size_t> TlsTransport::send(const Descriptor& socket, std::span<const std::byte> bytes) {
    socket_ = &socket;
    if (over()) return std::nullopt;
    if (manner_ == Manner::Plain) return sendSome(socket, bytes);
    if (manner_ == Manner::Unknown || bytes.empty()) return 0;
    ERR_clear_error();
    const int count = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(std::min(bytes.size(), largestRecord)));
    agreed_ = agreed_ || SSL_is_init_finished(ssl_.get()) == 1;
    return count > 0 ? std::optional(static_cast<std::size_t>(count)) : outcome(count);
}

/// 0: there is more to wait for.
std::optional<std::size_t> TlsTransport::outcome(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE: return 0;
    case SSL_ERROR_ZERO_RETURN:
    case SSL_ERROR_SYSCALL: gone_ = true; return std::nullopt;
    default: break;
    }
    if (SSL_get_verify_result(ssl_.get()) != X509_V_OK)
        fault_ = "its certificate is not the one that the token names: the token is another service's, or somebody "
                 "stands in between";
    else if (agreed_) fault_ = fmt::format("what arrived over TLS was damaged ({})", reason());
    else fault_ = fmt::format("the other side does not speak TLS 1.3, which the token asks for ({})", reason());
    return std::nullopt;
}

/// The certificate is the one that the token names, whatever it says of itself; so the handshake ends before the
/// token's secret is shown to anybody else.
int TlsTransport::verify(X509_STORE_CTX* store, void* /*unused*/) {
    const auto* ssl = static_cast<const SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
    const auto* self = static_cast<const TlsTransport*>(SSL_get_app_data(ssl));
    const auto shown = fingerprintOf(X509_STORE_CTX_get0_cert(store));
    const bool same = shown && CRYPTO_memcmp(shown->data(), self->expected_->data(), shown->size()) == 0;
    X509_STORE_CTX_set_error(store, same ? X509_V_OK : X509_V_ERR_CERT_REJECTED);
    return same ? 1 : 0;
}

void TlsTransport::prepare(SSL_CTX* caller) {
    SSL_CTX_set_verify(caller, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_cert_verify_callback(caller, &TlsTransport::verify, nullptr);
}

int TlsTransport::readSocket(BIO* bio, char* room, int size) {
    auto& self = *static_cast<TlsTransport*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const std::span all(reinterpret_cast<std::byte*>(room), static_cast<std::size_t>(size));
    if (const std::size_t first = self.takeFirst(all); first > 0) return static_cast<int>(first);
    const auto count = receiveSome(*self.socket_, all);
    if (count == std::optional<std::size_t>(0)) BIO_set_retry_read(bio);
    return count.value_or(0) > 0 ? static_cast<int>(*count) : -1;
}

int TlsTransport::writeSocket(BIO* bio, const char* bytes, int size) {
    auto& self = *static_cast<TlsTransport*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    const auto count = sendSome(*self.socket_, std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
    if (count == std::optional<std::size_t>(0)) BIO_set_retry_write(bio);
    return count.value_or(0) > 0 ? static_cast<int>(*count) : -1;
}

long TlsTransport::control(BIO* /*bio*/, int command, long /*number*/, void* /*unused*/) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

/// A way to the socket that raises no SIGPIPE, as OpenSSL's own would.
const BIO_METHOD* TlsTransport::method() {
    static const std::unique_ptr<BIO_METHOD, Freed<BIO_meth_free>> made = [] {
        std::unique_ptr<BIO_METHOD, Freed<BIO_meth_free>> fresh(
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket"));
        if (fresh) {
            BIO_meth_set_read(fresh.get(), &TlsTransport::readSocket);
            BIO_meth_set_write(fresh.get(), &TlsTransport::writeSocket);
            BIO_meth_set_ctrl(fresh.get(), &TlsTransport::control);
        }
        return fresh;
    }();
    return made.get();
}

}  // namespace shardlab::launch
