// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/forwarder_setup.h"

#include <nlohmann/json.hpp>

namespace shardlab {

using Json = nlohmann::json;

std::string writeSetup(const ForwarderSetup& setup) {
    return Json{{"host", setup.host},
                {"first_rank", setup.firstRank},
                {"ranks", setup.ranks},
                {"token", setup.token},
                {"addresses", setup.addresses},
                {"folder", setup.folder.string()},
                {"shared_memory", setup.sharedMemory.string()}}
               .dump() +
           "\n";
}

Result<ForwarderSetup> readSetup(std::string_view line) {
    try {
        const Json json = Json::parse(line);
        ForwarderSetup setup;
        json.at("host").get_to(setup.host);
        json.at("first_rank").get_to(setup.firstRank);
        json.at("ranks").get_to(setup.ranks);
        json.at("token").get_to(setup.token);
        json.at("addresses").get_to(setup.addresses);
        setup.folder = json.at("folder").get<std::string>();
        setup.sharedMemory = json.at("shared_memory").get<std::string>();
        return setup;
    } catch (const Json::exception& error) {
        return fail(Error{"cannot read a forwarder's setup", "standard input", error.what(), "it is started by shardlab, not by hand"});
    }
}

std::string forwarderBanner() { return std::string("shardlab-forwarder ") + SHARDLAB_VERSION; }

}  // namespace shardlab
