// SPDX-License-Identifier: Apache-2.0
#include "engine/base/token.h"

#include "engine/base/file.h"
#include "engine/base/socket.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

namespace shardlab::base {

Result<std::string> randomToken() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return fail({say("cannot make a token"), "getrandom", say("the kernel gave no random bytes"), ""});
    constexpr std::string_view digits = "0123456789abcdef";
    std::string token;
    for (const unsigned char byte : bytes) {
        token += digits[byte >> 4];
        token += digits[byte & 15];
    }
    return token;
}

bool sameToken(std::string_view known, std::string_view shown) {
    volatile unsigned difference = known.size() == shown.size() && !known.empty() ? 0 : 1;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const char expected = known.empty() ? '\0' : known[i % known.size()];
        difference = difference | static_cast<unsigned>(static_cast<unsigned char>(expected ^ shown[i]));
    }
    return difference == 0;
}

Result<std::filesystem::path> nameBeside(const std::filesystem::path& file) {
    return randomToken().transform([&](const std::string& token) {
        std::filesystem::path beside = file;
        return beside += ".new" + token.substr(0, 16);
    });
}

Status writeToken(const std::filesystem::path& file, std::string_view token) {
    // Unlinked and made anew: a file that was there might be open to others, or lead elsewhere.
    ::unlink(file.c_str());
    const Descriptor out(::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    const std::string line = std::string(token) + "\n";
    if (!out.valid() || ::write(out.value(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        return fail({say("cannot write the token"), file.string(), systemReason(errno), say("Another file")});
    return {};
}

Result<std::string> readToken(const std::filesystem::path& file) {
    constexpr std::int64_t longestFile = 4096;  // a device gives bytes without end
    const Result<std::string> text = readFile(file, longestFile);
    if (!text)
        return fail({say("cannot read the token"), file.string(), text.error().why,
                     say("The file that the run wrote, or a copy")});
    std::string token = text->substr(0, text->find('\n'));
    while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
    if (token.empty()) return fail({say("cannot read the token"), file.string(), say("its first line is empty"), ""});
    return token;
}

}  // namespace shardlab::base
