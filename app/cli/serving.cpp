// SPDX-License-Identifier: Apache-2.0
#include "app/cli/serving.h"

#include "app/cli/print.h"
#include "engine/base/token.h"

#include <fmt/format.h>
#include <unistd.h>

namespace shardlab::cli {

void ServingArgument::addTo(Verb& verb) {
    const Option serve =
        verb.option("--serve", address,
                    "Let others watch the run from its start: a port of this machine alone, or HOST:PORT. TLS is not "
                    "spoken: for other machines an ssh tunnel is safer than HOST")
            .typeName("[HOST:]PORT");
    verb.option("--token-file", tokenFile,
                "Where to write the token that viewers need; by default RUN.token, while it runs")
        .typeName("FILE")
        .needs(serve);
}

Result<TokenFile> TokenFile::make(const std::string& file) {
    auto token = randomToken();
    if (!token) return fail(token.error());
    if (const Status written = writeToken(file, *token); !written) return fail(written.error());
    return TokenFile(file, std::move(*token));
}

TokenFile::~TokenFile() {
    if (!file_.empty()) ::unlink(file_.c_str());
}

Result<Serving> Serving::open(const ServingArgument& argument, const std::string& runFile) {
    const auto address = parseTcpAddress(argument.address);
    if (!address) return fail(address.error());
    auto token = TokenFile::make(argument.tokenFile.empty() ? runFile + ".token" : argument.tokenFile);
    if (!token) return fail(token.error());
    ServeOptions options;
    options.address = *address;
    options.token = token->token();
    auto server = RunServer::listen(options);
    if (!server) return fail(server.error());
    return Serving(std::move(*token), std::move(*server));
}

void Serving::announce() const {
    const std::string address = server_->address().text();
    printNote(fmt::format("served at {}, token {}", address, token_.token()));
    printNote(fmt::format("watch it: shardlab watch {} --token-file {}", address, token_.file()));
}

void Serving::report() const { printNote("served: " + server_->counts().text()); }

}  // namespace shardlab::cli
