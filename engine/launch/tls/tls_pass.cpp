// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/tls/tls_pass.h"

#include "engine/base/token.h"
#include "engine/launch/tls/tls_transport.h"

#include <charconv>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509.h>

namespace shardlab::launch {
namespace {

constexpr std::string_view tlsToken = "tls";
constexpr std::size_t fingerprintDigits = 2 * sizeof(Fingerprint);
constexpr std::size_t secretDigits = 32;

using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

class TlsSecurity final : public LinkSecurity {
public:
    TlsSecurity(TlsContext context, std::optional<Fingerprint> expected)
        : context_(std::move(context)), expected_(expected) {}
    std::unique_ptr<Transport> transport() const override {
        return std::make_unique<TlsTransport>(context_.get(), expected_);
    }

private:
    TlsContext context_;
    std::optional<Fingerprint> expected_;
};

tl::unexpected<Error> refuse(Sentence what) {
    const char* const reason = ERR_reason_error_string(ERR_peek_error());
    return fail(
        {say("cannot prepare TLS"), std::move(what), reason == nullptr ? say("OpenSSL gives no reason") : reason, ""});
}

Result<TlsContext> makeContext(const SSL_METHOD* side) {
    TlsContext context(SSL_CTX_new(side));
    if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) != 1 ||
        SSL_CTX_set_num_tickets(context.get(), 0) != 1)
        return refuse(say("a context of OpenSSL"));
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
    // What is queued may move and grow while a part of it waits, and who sends nothing but records without data does
    // not keep a thread.
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_clear_mode(context.get(), SSL_MODE_AUTO_RETRY);
    return context;
}

/// A certificate of `key` that says nothing but its key: whom it is of, callers know from its fingerprint.
Certificate certify(EVP_PKEY* key) {
    Certificate certificate(X509_new());
    X509* const made = certificate.get();
    if (made == nullptr || X509_set_version(made, X509_VERSION_3) != 1 ||
        ASN1_INTEGER_set(X509_get_serialNumber(made), 1) != 1 ||
        ASN1_TIME_set_string_X509(X509_getm_notBefore(made), "20000101000000Z") != 1 ||
        ASN1_TIME_set_string_X509(X509_getm_notAfter(made), "99991231235959Z") != 1)
        return nullptr;
    X509_NAME* const name = X509_get_subject_name(made);
    const auto* shardlab = reinterpret_cast<const unsigned char*>("shardlab");
    if (X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, shardlab, -1, -1, 0) != 1 ||
        X509_set_issuer_name(made, name) != 1 || X509_set_pubkey(made, key) != 1 ||
        X509_sign(made, key, EVP_sha256()) == 0)
        return nullptr;
    return certificate;
}

std::string digitsOf(const Fingerprint& fingerprint) {
    std::string digits;
    for (const unsigned char byte : fingerprint) digits += fmt::format("{:02x}", byte);
    return digits;
}

std::optional<Fingerprint> fingerprintFrom(std::string_view digits) {
    Fingerprint fingerprint{};
    for (std::size_t i = 0; i < fingerprint.size(); ++i) {
        const std::string_view two = digits.substr(2 * i, 2);
        const auto [end, wrong] = std::from_chars(two.data(), two.data() + two.size(), fingerprint[i], 16);
        if (wrong != std::errc{} || end != two.data() + 2) return std::nullopt;
    }
    return fingerprint;
}

}  // namespace

Result<LinkPass> makePass(Protection protection) {
    auto secret = randomToken();
    if (!secret) return fail(secret.error());
    if (protection == Protection::Plain) return plainPass(*secret);
    ERR_clear_error();
    const Key key(EVP_EC_gen("P-256"));
    const Certificate certificate = key ? certify(key.get()) : nullptr;
    const auto fingerprint = fingerprintOf(certificate.get());
    if (!fingerprint) return refuse(say("a certificate"));
    auto context = makeContext(TLS_server_method());
    if (!context) return fail(context.error());
    if (SSL_CTX_use_certificate(context->get(), certificate.get()) != 1 ||
        SSL_CTX_use_PrivateKey(context->get(), key.get()) != 1)
        return refuse(say("its certificate and key"));
    return LinkPass{std::string(tlsToken) + digitsOf(*fingerprint) + *secret, *secret,
                    std::make_shared<TlsSecurity>(std::move(*context), std::nullopt)};
}

Result<LinkPass> readPass(const std::string& token) {
    if (!token.starts_with(tlsToken)) return plainPass(token);
    const std::string_view digits = std::string_view(token).substr(tlsToken.size());
    const auto fingerprint = fingerprintFrom(digits.substr(0, fingerprintDigits));
    if (digits.size() != fingerprintDigits + secretDigits || !fingerprint ||
        digits.find_first_not_of("0123456789abcdef") != std::string_view::npos)
        return fail(
            {say("the token is damaged"), "",
             say("it has {} characters or others than hexadecimal digits", token.size()),
             say("“tls” and {} hexadecimal digits, as it was printed and written", fingerprintDigits + secretDigits)});
    ERR_clear_error();
    auto context = makeContext(TLS_client_method());
    if (!context) return fail(context.error());
    TlsTransport::prepare(context->get());
    return LinkPass{token, std::string(digits.substr(fingerprintDigits)),
                    std::make_shared<TlsSecurity>(std::move(*context), fingerprint)};
}

}  // namespace shardlab::launch
