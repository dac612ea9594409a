// SPDX-License-Identifier: Apache-2.0
// Configurations of other trainers as layouts: any bytes, or a beginning that one of them is recognised by.
#include "engine/layout/check/check.h"
#include "engine/layout/schedule/registry.h"
#include "engine/trace/trainers/torchtitan.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::array begins{"--num-layers 4 --hidden-size 64 ", "[parallelism]\n", "{\"train_batch_size\": 8, "};
    Input input(data, size);
    const std::size_t begin = input.number<std::uint8_t>() % (begins.size() + 2);
    std::string content(input.rest());
    if (begin > begins.size()) {  // a module that registers a flavor of torchtitan
        for (const char* name : {"llama3", "qwen3", "llama4", "deepseek_v3", "gpt_oss"}) {
            constexpr int tokens = 4096;
            const auto made = readTitanFlavor(*titanFamilyNamed(name), content, tokens);
            require(!made || (made->model.heads > 0 && made->model.sequence == tokens), "a flavor has heads");
        }
        return 0;
    }
    if (begin < begins.size()) content = begins[begin] + content;
    const std::filesystem::path file = scratchFile("config", content);
    const Result<ConfigLayout> made = layoutFromFile(file);
    if (!made) {
        requireClear(made.error());
        return 0;
    }
    require(check(made->layout, scheduleMethods()).empty(), "a layout that is made has no faults");
    for (const Sentence& line : made->leftOut) require(!line.empty(), "what is left out is said");
    // What a layout was made of can be refused for another trainer, never fail otherwise.
    for (const TrainerTarget& target : trainerTargets()) {
        const auto exported = exportLayout(made->layout, target);
        if (!exported) require(!exported.error().empty(), "a refusal names a field");
    }
    return 0;
}
