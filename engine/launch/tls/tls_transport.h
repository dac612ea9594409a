// SPDX-License-Identifier: Apache-2.0
// One connection's end of TLS, over a socket that never blocks.
#pragma once

#include "engine/base/bytes.h"
#include "engine/trace/record/frame_link.h"

#include <array>
#include <memory>
#include <openssl/ssl.h>
#include <optional>
#include <string>

namespace shardlab::launch {

/// Calls an OpenSSL function of that name where a unique_ptr ends.
template <auto Free>
struct Freed {
    void operator()(auto* what) const { Free(what); }
};
using TlsContext = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;

/// SHA-256 of a certificate's DER.
using Fingerprint = std::array<unsigned char, 32>;
std::optional<Fingerprint> fingerprintOf(const X509* certificate);

class TlsTransport final : public Transport {
public:
    /// `expected`: of the listener's certificate, where this is a caller's end; none: it is the listener's, which a
    /// caller without TLS may call too: it is then never established, and passes bytes on as they are.
    TlsTransport(SSL_CTX* context, std::optional<Fingerprint> expected);

    std::optional<std::size_t> receive(const Descriptor& socket, std::span<std::byte> room) override;
    std::optional<std::size_t> send(const Descriptor& socket, std::span<const std::byte> bytes) override;
    bool established() const override { return agreed_ && fault_.empty(); }
    const std::string& fault() const override { return fault_; }
    /// Has all callers of a context look at the certificate that they are shown.
    static void prepare(SSL_CTX* caller);

private:
    static int verify(X509_STORE_CTX* store, void*);
    static int readSocket(BIO* bio, char* room, int size);
    static int writeSocket(BIO* bio, const char* bytes, int size);
    static long control(BIO* bio, int command, long, void*);
    static const BIO_METHOD* method();
    /// Listens to how the caller begins: whether it speaks TLS, once it has said enough.
    void decide();
    /// What is left of first_, as far as there is room; how many bytes.
    std::size_t takeFirst(std::span<std::byte> room);
    std::optional<std::size_t> outcome(int result);
    bool over() const { return gone_ || !fault_.empty(); }

    std::unique_ptr<SSL, Freed<SSL_free>> ssl_;
    std::optional<Fingerprint> expected_;
    const Descriptor* socket_ = nullptr;  ///< while a call lasts
    Bytes first_;  ///< what a caller has said before it was known whether it speaks TLS, and nobody has taken
    enum class Manner : std::uint8_t { Unknown, Plain, Tls } manner_;
    bool agreed_ = false;
    bool gone_ = false;
    std::string fault_;
};

}  // namespace shardlab::launch
