// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/record/spool.h"

#include <algorithm>
#include <string>

namespace shardlab::trace {

Spool::Spool(FileSystem& files, const std::filesystem::path& file, const SpoolOptions& options) : options_(options) {
    auto opened = files.open(file, OpenMode::Create);
    if (opened) {
        file_ = std::move(*opened);
    } else {
        fault_ = opened.error();
    }
}

Status Spool::append(FrameType type, std::span<const std::byte> body) {
    Bytes content;
    content.reserve(body.size() + 8);
    ByteWriter writer(content);
    writer.fixed(end_);
    writer.bytes(body);
    if (content.size() + 1 > largestFrame) return fail({"cannot spool a frame", "", "it is longer than 1 MiB", ""});
    Bytes frame;
    frame.reserve(content.size() + frameOverhead);
    appendFrame(frame, type, content);
    if (!fault_ && writeToFile(frame)) {
        fileEnd_ = memoryBegin_ = end_ += frame.size();
        return {};
    }
    if (memory_.size() + frame.size() > options_.memoryBytes)
        return fail({"cannot spool a frame", "", fault_->text() + "; and the memory kept for that case is full", ""});
    memory_.insert(memory_.end(), frame.begin(), frame.end());
    end_ += frame.size();
    return {};
}

/// False: the file ends with its last whole frame (if the disk allows even that) and is not written again.
bool Spool::writeToFile(std::span<const std::byte> frame) {
    const Status written = writeAll(*file_, frame);
    if (written) return true;
    fault_ = written.error();
    static_cast<void>(file_->truncate(fileEnd_ - fileBegin_));
    return false;
}

Result<Bytes> Spool::read(std::uint64_t offset, std::size_t most) const {
    const std::uint64_t count = std::min<std::uint64_t>(most, end_ - offset);
    if (offset >= memoryBegin_) {
        const auto first = memory_.begin() + static_cast<std::ptrdiff_t>(offset - memoryBegin_);
        return Bytes(first, first + static_cast<std::ptrdiff_t>(count));
    }
    Bytes bytes(static_cast<std::size_t>(std::min(count, fileEnd_ - offset)));
    const Result<std::size_t> got = file_->read(bytes, offset - fileBegin_);
    if (!got) return fail(got.error());
    if (*got != bytes.size()) return fail({"cannot read the spool", "", "it is shorter than what was written", ""});
    return bytes;
}

void Spool::acknowledge(std::uint64_t offset) {
    offset = std::min(offset, end_);
    if (offset > memoryBegin_) {
        memory_.erase(memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(offset - memoryBegin_));
        memoryBegin_ = offset;
    }
    if (!fault_ && offset == end_ && fileEnd_ - fileBegin_ >= options_.recycleBytes) {
        const Status emptied = file_->truncate(0);
        if (emptied) {
            fileBegin_ = fileEnd_;
        } else {
            fault_ = emptied.error();
        }
    }
}

Status readSpool(FileSystem& files, const std::filesystem::path& file, std::uint64_t from,
                 const std::function<void(std::uint64_t, const Frame&)>& sink) {
    const auto opened = files.open(file, OpenMode::Read);
    if (!opened) return fail(opened.error());
    FrameParser parser;
    Bytes piece(std::size_t{1} << 20);
    for (std::uint64_t at = 0;;) {
        const Result<std::size_t> count = (*opened)->read(piece, at);
        if (!count) return fail(count.error());
        at += *count;
        parser.feed(std::span(piece).first(*count));
        Frame frame;
        FrameParser::Outcome outcome{};
        while ((outcome = parser.next(frame)) == FrameParser::Outcome::Frame) {
            ByteReader reader(frame.body);
            const auto offset = reader.fixed<std::uint64_t>();
            if (!reader.ok()) return fail({"damaged spool", file.string(), "a frame without its offset", ""});
            if (offset < from) continue;
            sink(offset, {frame.type, frame.body.subspan(sizeof offset), frame.size});
        }
        if (outcome != FrameParser::Outcome::NeedMore)
            return fail({"damaged spool", file.string(),
                         "a frame before byte " + std::to_string(at) + " fails its checksum", ""});
        if (*count < piece.size()) return {};
    }
}

}  // namespace shardlab::trace
