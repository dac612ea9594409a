// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job/forwarder_setup.h"

#include "engine/base/library_words.h"
#include "engine/base/json_fields.h"
#include "engine/base/most_ranks.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace shardlab::launch {
namespace {

using Json = nlohmann::json;

int countOf(const Json& setup, const char* key, int least) {
    const std::optional<int> count = wholeNumber<int>(setup.at(key));
    if (!count || *count < least || *count > mostRanks)
        throw std::invalid_argument(fmt::format("{} is {}, not a whole number from {} to {}", key,
                                                shownValue(setup.at(key)), least, mostRanks));
    return *count;
}

}  // namespace

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
        setup.host = countOf(json, "host", 0);
        setup.firstRank = countOf(json, "first_rank", 0);
        setup.ranks = countOf(json, "ranks", 1);
        json.at("token").get_to(setup.token);
        json.at("addresses").get_to(setup.addresses);
        setup.folder = json.at("folder").get<std::string>();
        setup.sharedMemory = json.at("shared_memory").get<std::string>();
        return setup;
    } catch (const std::exception& error) {
        return fail(Error{say("cannot read a forwarder's setup"), say("standard input"), jsonReason(error.what()),
                          say("it is started by shardlab, not by hand")});
    }
}

std::string forwarderBanner() { return std::string("shardlab-forwarder ") + SHARDLAB_VERSION; }

}  // namespace shardlab::launch
