// SPDX-License-Identifier: Apache-2.0
// Kineto traces: any text, or gzip, as a file that is imported. The first byte chooses whether the format is told.
#include "tests/fuzz/import_target.h"
#include "tests/support/wings.h"

using namespace shardlab::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const bool told = input.number<std::uint8_t>() % 4 != 0;
    importFile(scratchFile("trace.json", input.rest()), told ? "kineto" : "");
    return 0;
}
