// SPDX-License-Identifier: Apache-2.0
// A config.json as a layout: any bytes, or the fields of a family that is known.
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/checkpoint/config_layout.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array types{"gpt2", "llama", "mistral", "qwen2", "qwen3", "deepseek_v3"};
    Input input(data, size);
    const std::size_t type = input.number<std::uint8_t>() % (types.size() + 1);
    std::string content(input.rest());
    if (type < types.size()) content = "{\"model_type\": \"" + std::string(types[type]) + "\"" + content + "}";
    const std::filesystem::path file = scratchFile("config.json", content);
    const Result<ConfigLayout> made = layoutFromConfig(file);
    if (!made) {
        requireClear(made.error());
        return 0;
    }
    require(looksLikeConfig(content), "what a layout is made of looks like a config");
    require(check(made->layout, scheduleMethods()).empty(), "a layout that is made has no faults");
    for (const Sentence& line : made->leftOut) require(!line.empty(), "what is left out is said");
    return 0;
}
