// SPDX-License-Identifier: Apache-2.0
#include "app/cli/serving.h"

#include "app/cli/print.h"
#include "engine/base/token.h"

#include <fmt/format.h>
#include <unistd.h>

namespace shardlab::cli {

Option addPlainTo(Verb& verb, bool& plain) {
    return verb.flag("--no-tls", plain,
                     "Do without encryption, for callers that speak no TLS: everything can be read along the way, the "
                     "token too");
}

void ServingArgument::addTo(Verb& verb) {
    const Option serve =
        verb.option("--serve", address,
                    "Let others watch the run from its start, over TLS: a port of this machine alone, or HOST:PORT")
            .typeName("[HOST:]PORT");
    verb.option("--token-file", tokenFile,
                "Where to write the token that viewers need; by default RUN.token, while it runs")
        .typeName("FILE")
        .needs(serve);
    addPlainTo(verb, plain).needs(serve);
}

Result<TokenFile> TokenFile::make(const std::string& file, bool plain) {
    auto pass = makePass(plain ? Protection::Plain : Protection::Tls);
    if (!pass) return fail(pass.error());
    if (const Status written = writeToken(file, pass->token); !written) return fail(written.error());
    return TokenFile(file, std::move(*pass));
}

std::string TokenFile::text() const {
    return fmt::format("token {}{}", pass_.token, pass_.security ? "" : " (without TLS)");
}

TokenFile::~TokenFile() {
    if (!file_.empty()) ::unlink(file_.c_str());
}

Result<Serving> Serving::open(const ServingArgument& argument, const std::string& runFile) {
    const auto address = parseTcpAddress(argument.address);
    if (!address) return fail(address.error());
    auto token = TokenFile::make(argument.tokenFile.empty() ? runFile + ".token" : argument.tokenFile, argument.plain);
    if (!token) return fail(token.error());
    ServeOptions options;
    options.address = *address;
    options.pass = token->pass();
    auto server = RunServer::listen(options);
    if (!server) return fail(server.error());
    return Serving(std::move(*token), std::move(*server));
}

void Serving::announce() const {
    const std::string address = server_->address().text();
    printNote(fmt::format("served at {}, {}", address, token_.text()));
    printNote(fmt::format("watch it: shardlab watch {} --token-file {}", address, token_.file()));
}

void Serving::report() const { printNote("served: " + server_->counts().text()); }

}  // namespace shardlab::cli
