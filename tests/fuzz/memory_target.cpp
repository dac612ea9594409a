// SPDX-License-Identifier: Apache-2.0
// Memory snapshots: any bytes as a pickle that is imported. The first byte chooses whether the format is told.
#include "tests/fuzz/import_target.h"
#include "tests/support/wings.h"

using namespace shardlab::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const bool told = input.number<std::uint8_t>() % 4 != 0;
    importFile(scratchFile("rank0.pickle", input.rest()), told ? "memory-snapshot" : "");
    return 0;
}
