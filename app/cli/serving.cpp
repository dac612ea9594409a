// SPDX-License-Identifier: Apache-2.0
#include "app/cli/serving.h"

#include "app/cli/print.h"
#include "engine/base/token.h"

#include <fmt/format.h>
#include <unistd.h>

namespace shardlab::cli {

void ServingArgument::addTo(CLI::App& verb) {
    verb.add_option("--serve", address,
                    "Let others watch the run from its start: a port of this machine alone, or HOST:PORT. TLS is not "
                    "spoken: for other machines an ssh tunnel is safer than HOST")
        ->type_name("[HOST:]PORT");
    verb.add_option("--token-file", tokenFile, "Where to write the token that viewers need; by default RUN.token, while it runs")
        ->type_name("FILE")
        ->needs("--serve");
}

Result<Serving> Serving::open(const ServingArgument& argument, const std::string& runFile) {
    const auto address = parseTcpAddress(argument.address);
    if (!address) return fail(address.error());
    auto token = randomToken();
    if (!token) return fail(token.error());
    Serving serving;
    ServeOptions options;
    options.address = *address;
    options.token = serving.token_ = *token;
    auto server = RunServer::listen(options);
    if (!server) return fail(server.error());
    serving.server_ = std::move(*server);
    const std::string file = argument.tokenFile.empty() ? runFile + ".token" : argument.tokenFile;
    if (const Status written = writeToken(file, *token); !written) return fail(written.error());
    serving.tokenFile_ = file;
    return serving;
}

Serving::~Serving() {
    if (!tokenFile_.empty()) ::unlink(tokenFile_.c_str());
}

void Serving::announce() const {
    const std::string address = server_->address().text();
    printNote(fmt::format("served at {}, token {}", address, token_));
    printNote(fmt::format("watch it: shardlab watch {} --token-file {}", address, tokenFile_));
}

void Serving::report() const { printNote("served: " + server_->counts().text()); }

}  // namespace shardlab::cli
