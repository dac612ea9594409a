// SPDX-License-Identifier: Apache-2.0
// A run that others watch: where, with which token, and what is said of it in the terminal.
#pragma once

#include "engine/serve/run_server.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace shardlab::cli {

struct ServingArgument {
    std::string address;    ///< empty: nobody watches
    std::string tokenFile;  ///< empty: beside the run file

    bool wanted() const { return !address.empty(); }
    void addTo(CLI::App& verb);
};

class Serving {
public:
    /// Listens, and writes a new token into its file. Errors: of the address, of that file.
    static Result<Serving> open(const ServingArgument& argument, const std::string& runFile);
    Serving(Serving&& other) noexcept
        : server_(std::move(other.server_)), token_(std::move(other.token_)), tokenFile_(std::exchange(other.tokenFile_, {})) {}
    /// Nobody can use the token any more: its file goes too.
    ~Serving();

    const std::shared_ptr<RunServer>& server() const { return server_; }
    /// Where, the token once, and how to watch.
    void announce() const;
    /// Who came, and what was refused.
    void report() const;

private:
    Serving() = default;
    std::shared_ptr<RunServer> server_;
    std::string token_;
    std::string tokenFile_;
};

}  // namespace shardlab::cli
