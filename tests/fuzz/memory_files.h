// SPDX-License-Identifier: Apache-2.0
// A disk in memory, for targets that would wait for a real one; it fills up where it is told to.
#pragma once

#include "engine/base/bytes.h"
#include "engine/base/file.h"
#include "tests/support/wings.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

namespace shardlab::fuzz {

class MemoryFiles final : public FileSystem {
public:
    std::map<std::filesystem::path, std::shared_ptr<Bytes>> contents;
    std::size_t room = std::numeric_limits<std::size_t>::max();  ///< bytes that may still be written

    Result<std::unique_ptr<File>> open(const std::filesystem::path& file, OpenMode mode) override {
        std::shared_ptr<Bytes>& content = contents[file];
        if (mode == OpenMode::Create) content = std::make_shared<Bytes>();
        if (!content) return fail({"cannot open the file", file.string(), "there is no such file", ""});
        return std::make_unique<Opened>(*this, content);
    }
    Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
        contents[to] = contents[from];
        contents.erase(from);
        return {};
    }
    Status remove(const std::filesystem::path& file) override {
        contents.erase(file);
        return {};
    }
    Status createFolder(const std::filesystem::path&) override { return {}; }
    Status removeFolder(const std::filesystem::path&) override { return {}; }
    Status syncFolder(const std::filesystem::path&) override { return {}; }

private:
    class Opened final : public File {
    public:
        Opened(MemoryFiles& files, std::shared_ptr<Bytes> content) : files_(files), content_(std::move(content)) {}
        Result<std::size_t> write(std::span<const std::byte> bytes) override {
            if (files_.room == 0) return fail({"cannot write the file", "", "the disk is full", ""});
            const std::size_t size = std::min(bytes.size(), files_.room);
            files_.room -= size;
            content_->insert(content_->end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
            return size;
        }
        Result<std::size_t> read(std::span<std::byte> bytes, std::uint64_t offset) override {
            const std::size_t begin = static_cast<std::size_t>(std::min<std::uint64_t>(offset, content_->size()));
            const std::size_t size = std::min(bytes.size(), content_->size() - begin);
            std::copy_n(content_->begin() + static_cast<std::ptrdiff_t>(begin), size, bytes.begin());
            return size;
        }
        Status truncate(std::uint64_t size) override {
            content_->resize(static_cast<std::size_t>(size));
            return {};
        }
        Status sync() override { return {}; }

    private:
        MemoryFiles& files_;
        std::shared_ptr<Bytes> content_;
    };
};

}  // namespace shardlab::fuzz
