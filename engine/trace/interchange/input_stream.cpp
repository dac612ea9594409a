// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/interchange/input_stream.h"

#include "engine/base/units.h"

#include <algorithm>
#include <cerrno>
#include <zlib.h>

namespace shardlab::trace {
namespace {

constexpr unsigned bufferBytes = 1u << 20;

}  // namespace

void InputStream::Close::operator()(gzFile_s* file) const { gzclose(file); }

InputStream::InputStream(std::filesystem::path file, std::unique_ptr<gzFile_s, Close> in, std::uint64_t size,
                         ShareWatcher watcher, UnpackLimits limits)
    : file_(std::move(file)), in_(std::move(in)), size_(size), limits_(limits), watcher_(std::move(watcher)),
      buffer_(bufferBytes) {}

Result<std::unique_ptr<InputStream>> InputStream::open(const std::filesystem::path& file, ShareWatcher watcher,
                                                       UnpackLimits limits) {
    const auto refuse = [&](Sentence why) {
        return fail({say("cannot read the trace"), file.string(), std::move(why), ""});
    };
    std::error_code code;
    if (!std::filesystem::exists(file, code)) return refuse(say("there is no such file"));
    if (std::filesystem::is_directory(file, code)) return refuse(say("it is a folder"));
    const std::uint64_t size = std::filesystem::file_size(file, code);
    if (code) return refuse(say("it is no regular file"));
    std::unique_ptr<gzFile_s, Close> in(gzopen(file.c_str(), "rb"));
    if (!in) return refuse(systemReason(errno));
    gzbuffer(in.get(), bufferBytes);
    return std::make_unique<InputStream>(file, std::move(in), size, std::move(watcher), limits);
}

std::optional<Error> InputStream::beyondLimits() const {
    if (gzdirect(in_.get()) != 0) return std::nullopt;  // it is not packed
    const auto refuse = [&](Sentence why, Sentence legal) {
        return Error{say("cannot read the trace"), file_.string(), std::move(why), std::move(legal)};
    };
    if (unpacked_ > limits_.bytes)
        return refuse(
            say("its gzip data unpacks to more than {}", formatBytes(static_cast<std::int64_t>(limits_.bytes))),
            say("A trace of fewer steps or ranks, or the trace as a file that is not packed"));
    const auto packed = static_cast<std::uint64_t>(std::max<z_off_t>(gzoffset(in_.get()), 1));
    if (unpacked_ > limits_.free && unpacked_ / packed > limits_.ratio)
        return refuse(say("{} of its gzip data unpack to more than {}, which no trace does",
                          formatBytes(static_cast<std::int64_t>(packed)),
                          formatBytes(static_cast<std::int64_t>(packed * limits_.ratio))),
                      say("Up to {} unpacked bytes for each packed one, or the trace as a file that is not packed",
                          limits_.ratio));
    return std::nullopt;
}

InputStream::int_type InputStream::underflow() {
    if (cancelled_ || problem_) return traits_type::eof();
    const auto done = static_cast<double>(gzoffset(in_.get()));
    if (watcher_ && !watcher_(size_ == 0 ? 1.0 : std::min(1.0, done / static_cast<double>(size_)))) {
        cancelled_ = true;
        return traits_type::eof();
    }
    const int got = gzread(in_.get(), buffer_.data(), bufferBytes);
    int code = Z_OK;
    const char* why = gzerror(in_.get(), &code);
    // A gzip file that was cut off gives what is there and then Z_BUF_ERROR.
    if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END))
        problem_ =
            Error{say("cannot read the trace"), file_.string(),
                  code == Z_ERRNO ? systemReason(errno) : say("its gzip data is damaged or cut off: {}", why), ""};
    if (got <= 0) return traits_type::eof();
    unpacked_ += static_cast<std::uint64_t>(got);
    problem_ = beyondLimits();
    if (problem_) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
    return traits_type::to_int_type(buffer_.front());
}

}  // namespace shardlab::trace
