// SPDX-License-Identifier: Apache-2.0
// A run that others watch: where they find it, with which token, and what the terminal says about it.
#pragma once

#include "engine/launch/serve/run_server.h"
#include "engine/launch/tls/tls_pass.h"

#include "app/cli/verb.h"
#include <memory>
#include <string>
#include <utility>

namespace shardlab::cli {

struct ServingArgument {
    std::string address;    ///< empty: nobody watches
    std::string tokenFile;  ///< empty: beside the run file
    bool plain = false;     ///< without TLS

    bool wanted() const { return !address.empty(); }
    void addTo(Verb& verb);
};

/// The option that does without TLS.
Option addPlainTo(Verb& verb, bool& plain);

/// What lets callers in to one run, with its token in a file that only its owner can read and that is removed with this
/// object.
class TokenFile {
public:
    static Result<TokenFile> make(const std::string& file, bool plain);
    TokenFile(TokenFile&& other) noexcept : file_(std::exchange(other.file_, {})), pass_(std::move(other.pass_)) {}
    TokenFile& operator=(TokenFile&&) = delete;
    ~TokenFile();
    const std::string& file() const { return file_; }
    const LinkPass& pass() const { return pass_; }
    /// "token 5d0f…", and whether what is said can be read along the way.
    std::string text() const;

private:
    TokenFile(std::string file, LinkPass pass) : file_(std::move(file)), pass_(std::move(pass)) {}
    std::string file_;
    LinkPass pass_;
};

class Serving {
public:
    /// Listens, and writes a new token into its file. Errors: the address cannot be listened at, the file not written.
    static Result<Serving> open(const ServingArgument& argument, const std::string& runFile);
    const std::shared_ptr<RunServer>& server() const { return server_; }
    /// Says where the run is served, its token, and how to watch it.
    void announce() const;
    /// Says who watched, and what was refused.
    void report() const;

private:
    Serving(TokenFile token, std::shared_ptr<RunServer> server)
        : token_(std::move(token)), server_(std::move(server)) {}
    TokenFile token_;
    std::shared_ptr<RunServer> server_;
};

}  // namespace shardlab::cli
