// SPDX-License-Identifier: Apache-2.0
// A run file with one block damaged and everything else whole.
#pragma once

#include "engine/base/file.h"
#include "engine/trace/run_file/sqlite.h"
#include "tests/support/wings.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sqlite3.h>
#include <string>

namespace shardlab::test {

/// Overwrites 16 bytes in the middle of what `run` stores of block `id`; how many events it held, −1 where that failed.
inline std::int64_t damageBlock(const std::filesystem::path& run, std::int64_t id) {
    std::string stored;
    std::int64_t count = 0;
    {
        auto database = Database::open(run, DatabaseMode::Read);
        if (!database) return -1;
        auto rows = database->prepare("SELECT count, data FROM block WHERE id = ?");
        if (!rows || rows->bind(id).next() != SQLITE_ROW) return -1;
        count = rows->number(0);
        const auto data = rows->bytes(1);
        stored.assign(reinterpret_cast<const char*>(data.data()), data.size());
    }
    const Result<std::string> bytes = readFile(run);
    if (!bytes) return -1;
    // A piece of the data may lie on two pages: the first piece that lies on one is taken.
    for (std::size_t at = stored.size() / 2; at + 16 <= stored.size(); at += 16) {
        const std::size_t found = bytes->find(stored.substr(at, 16));
        if (found == std::string::npos) continue;
        std::fstream file(run, std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(static_cast<std::streamoff>(found));
        file.write("xxxxxxxxxxxxxxxx", 16).flush();
        return file ? count : -1;
    }
    return -1;
}

}  // namespace shardlab::test
