// SPDX-License-Identifier: Apache-2.0
// A disk that fails on demand: the k-th call of a kind, and if wanted all after it, fails or falls short.
#pragma once

#include "engine/base/file.h"
#include "tests/support/wings.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace shardlab::test {

enum class FileCall { Open, Write, Read, Truncate, Sync, Rename, Remove, CreateFolder, RemoveFolder, SyncFolder };

struct FaultPlan {
    FileCall call = FileCall::Write;
    int at = 1;             ///< the k-th call of that kind, from 1
    int lasts = 1;          ///< so many calls in a row
    bool shortens = false;  ///< a write takes only half of the bytes, instead of failing
    std::string why = "No space left on device";
};

class FaultyFileSystem final : public FileSystem {
public:
    explicit FaultyFileSystem(FaultPlan plan) : plan_(std::move(plan)) {}

    Result<std::unique_ptr<File>> open(const std::filesystem::path& file, OpenMode mode) override {
        if (strikes(FileCall::Open)) return fail(error(file));
        auto opened = disk_.open(file, mode);
        if (!opened) return opened;
        return std::make_unique<FaultyFile>(*this, std::move(*opened), file);
    }
    Status rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
        if (strikes(FileCall::Rename)) return fail(error(to));
        return disk_.rename(from, to);
    }
    Status remove(const std::filesystem::path& file) override {
        if (strikes(FileCall::Remove)) return fail(error(file));
        return disk_.remove(file);
    }
    Status createFolder(const std::filesystem::path& folder) override {
        if (strikes(FileCall::CreateFolder)) return fail(error(folder));
        return disk_.createFolder(folder);
    }
    Status removeFolder(const std::filesystem::path& folder) override {
        if (strikes(FileCall::RemoveFolder)) return fail(error(folder));
        return disk_.removeFolder(folder);
    }
    Status syncFolder(const std::filesystem::path& folder) override {
        if (strikes(FileCall::SyncFolder)) return fail(error(folder));
        return disk_.syncFolder(folder);
    }
    int struck() const { return struck_; }

private:
    class FaultyFile final : public File {
    public:
        FaultyFile(FaultyFileSystem& files, std::unique_ptr<File> file, std::filesystem::path path)
            : files_(files), file_(std::move(file)), path_(std::move(path)) {}
        Result<std::size_t> write(std::span<const std::byte> bytes) override {
            if (!files_.strikes(FileCall::Write)) return file_->write(bytes);
            if (files_.plan_.shortens) return file_->write(bytes.first((bytes.size() + 1) / 2));
            // A disk that fills up takes a part first.
            static_cast<void>(file_->write(bytes.first(bytes.size() / 3)));
            return fail(files_.error(path_));
        }
        Result<std::size_t> read(std::span<std::byte> bytes, std::uint64_t offset) override {
            if (files_.strikes(FileCall::Read)) return fail(files_.error(path_));
            return file_->read(bytes, offset);
        }
        Status truncate(std::uint64_t size) override {
            if (files_.strikes(FileCall::Truncate)) return fail(files_.error(path_));
            return file_->truncate(size);
        }
        Status sync() override {
            if (files_.strikes(FileCall::Sync)) return fail(files_.error(path_));
            return file_->sync();
        }

    private:
        FaultyFileSystem& files_;
        std::unique_ptr<File> file_;
        std::filesystem::path path_;
    };

    bool strikes(FileCall call) {
        if (call != plan_.call) return false;
        const int count = ++count_;
        const bool now = count >= plan_.at && count < plan_.at + plan_.lasts;
        if (now) ++struck_;
        return now;
    }
    Error error(const std::filesystem::path& file) const {
        return {"cannot write the file", file.string(), plan_.why, ""};
    }

    DiskFileSystem disk_;
    FaultPlan plan_;
    std::atomic<int> count_ = 0;  // ranks of one process share a disk
    std::atomic<int> struck_ = 0;
};

}  // namespace shardlab::test
