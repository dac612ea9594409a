// SPDX-License-Identifier: Apache-2.0
// Nsight Systems' export: any bytes as a database; and databases of its tables whose rows hold what the input says, of
// any type, with tables and columns left out here and there.
#include "engine/trace/run_file/sqlite.h"
#include "tests/fuzz/import_target.h"
#include "tests/support/wings.h"

#include <array>
#include <fmt/format.h>
#include <vector>

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

struct Table {
    const char* name;
    std::vector<const char*> columns;
};

const std::vector<Table>& tables() {
    static const std::vector<Table> all{
        {"StringIds", {"id", "value"}},
        {"TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}},
        {"TARGET_INFO_SYSTEM_ENV", {"name", "value"}},
        {"CUPTI_ACTIVITY_KIND_KERNEL", {"start", "end", "globalPid", "demangledName", "correlationId"}},
        {"CUPTI_ACTIVITY_KIND_MEMCPY", {"start", "end", "globalPid", "bytes", "copyKind", "correlationId"}},
        {"ENUM_CUDA_MEMCPY_OPER", {"id", "label"}},
        {"CUPTI_ACTIVITY_KIND_MEMSET", {"start", "end", "globalPid", "bytes", "correlationId"}},
        {"CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "nameId", "correlationId"}},
        {"NVTX_EVENTS", {"start", "end", "globalTid", "eventType", "text", "textId"}},
        {"CUDA_GPU_MEMORY_USAGE_EVENTS", {"start", "globalPid", "bytes", "memoryOperationType", "deviceId"}},
    };
    return all;
}

void bindAny(Statement& row, Input& input) {
    switch (input.number<std::uint8_t>() % 8) {
    case 0: row.bind(input.number<std::int64_t>()); break;
    case 1: row.bind(input.number<double>()); break;
    case 2: row.bindNull(); break;
    case 3: row.bind(input.word()); break;
    case 4: row.bind(std::int64_t{59} + input.number<std::uint8_t>() % 2); break;  // ranges of NVTX
    default: row.bind(static_cast<std::int64_t>(input.number<std::uint16_t>()));
    }
}

std::filesystem::path database(Input& input) {
    const std::filesystem::path file = scratch() / "report.sqlite";
    std::filesystem::remove(file);
    auto made = Database::open(file, DatabaseMode::Create);
    require(made && made->run("PRAGMA page_size = 512; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN"),
            "a database can be made");
    const auto left = input.number<std::uint16_t>();  // a bit a table: it is not there
    const std::size_t cut = input.below(64);          // a column of one table is not there
    std::vector<Table> present;
    for (std::size_t i = 0; i < tables().size(); ++i) {
        Table table = tables()[i];
        if ((left >> i & 1) != 0) continue;
        if (cut / 6 == i && cut % 6 < table.columns.size() && table.columns.size() > 1)
            table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(cut % 6));
        std::string columns;
        for (const char* column : table.columns) columns += fmt::format("{}{}", columns.empty() ? "" : ", ", column);
        require(made->run(fmt::format("CREATE TABLE {}({})", table.name, columns).c_str()).has_value(),
                "a table can be made");
        present.push_back(std::move(table));
    }
    while (!input.empty() && !present.empty()) {
        const Table& table = present[input.below(present.size())];
        std::string places;
        for (std::size_t i = 0; i < table.columns.size(); ++i) places += i == 0 ? "?" : ", ?";
        auto row = made->prepare(fmt::format("INSERT INTO {} VALUES({})", table.name, places).c_str());
        require(row.has_value(), "a row can be prepared");
        for (std::size_t i = 0; i < table.columns.size(); ++i) bindAny(*row, input);
        row->run();
    }
    require(made->run("COMMIT").has_value(), "the rows can be kept");
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    const auto what = input.number<std::uint8_t>();
    importFile(what % 4 == 0 ? scratchFile("report.sqlite", input.rest()) : database(input),
               what % 8 < 6 ? "nsight" : "");
    return 0;
}
