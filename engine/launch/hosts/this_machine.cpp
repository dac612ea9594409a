// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/hosts/this_machine.h"

#include "engine/base/parse_text.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string_view>
#include <unistd.h>

namespace shardlab::launch {
namespace {

struct Interface {
    std::string name;
    int family = 0;
    std::array<unsigned char, 16> address{};
    bool loopback = false;

    std::size_t size() const { return family == AF_INET ? 4 : 16; }
    std::string text() const {
        std::array<char, INET6_ADDRSTRLEN> room{};
        return inet_ntop(family, address.data(), room.data(), room.size()) ? room.data() : "";
    }
};

std::vector<Interface> interfaces() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) return {};
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(list, freeifaddrs);
    std::vector<Interface> found;
    for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
        if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
        Interface interface { each->ifa_name, each->ifa_addr->sa_family, {}, (each->ifa_flags & IFF_LOOPBACK) != 0 };
        if (interface.family == AF_INET) {
            std::memcpy(interface.address.data(), &reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr, 4);
        } else if (interface.family == AF_INET6) {
            const auto* address = reinterpret_cast<const sockaddr_in6*>(each->ifa_addr);
            if (IN6_IS_ADDR_LINKLOCAL(&address->sin6_addr)) continue;  // would need the other side's interface too
            std::memcpy(interface.address.data(), &address->sin6_addr, 16);
        } else {
            continue;
        }
        found.push_back(std::move(interface));
    }
    return found;
}

bool isIn(const Interface& interface, std::string_view part) {
    if (part == interface.name) return true;
    const std::size_t slash = part.find('/');
    const std::string network(part.substr(0, slash));
    std::array<unsigned char, 16> address{};
    if (inet_pton(interface.family, network.c_str(), address.data()) != 1) return false;
    std::size_t bits = interface.size() * 8;
    if (slash != std::string_view::npos) std::from_chars(part.data() + slash + 1, part.data() + part.size(), bits);
    for (std::size_t bit = 0; bit < std::min(bits, interface.size() * 8); ++bit) {
        const unsigned mask = 0x80u >> (bit % 8);
        if ((interface.address[bit / 8] & mask) != (address[bit / 8] & mask)) return false;
    }
    return true;
}

bool isIn(const Interface& interface, const std::string& network) {
    for (std::string_view rest = network; !rest.empty();)
        if (isIn(interface, takePart(rest, ','))) return true;
    return false;
}

}  // namespace

bool isOwnName(const std::string& host) {
    if (host == "localhost" || host == "127.0.0.1" || host == "::1") return true;
    std::array<char, 256> room{};
    if (gethostname(room.data(), room.size() - 1) != 0) return false;
    const std::string own = room.data();
    return host == own || (host.find('.') == std::string::npos && host == own.substr(0, own.find('.')));
}

bool isThisMachine(const std::string& host) {
    if (isOwnName(host)) return true;
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (getaddrinfo(host.c_str(), nullptr, &hints, &list) != 0) return false;
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(list, freeaddrinfo);
    const std::vector<Interface> own = interfaces();
    for (const addrinfo* each = list; each != nullptr; each = each->ai_next) {
        const void* address =
            each->ai_family == AF_INET
                ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in*>(each->ai_addr)->sin_addr)
                : static_cast<const void*>(&reinterpret_cast<const sockaddr_in6*>(each->ai_addr)->sin6_addr);
        for (const Interface& interface : own)
            if (interface.family == each->ai_family &&
                std::memcmp(interface.address.data(), address, interface.size()) == 0)
                return true;
    }
    return false;
}

bool allOwnNames(const std::vector<HostSpec>& hosts) {
    return std::ranges::all_of(hosts, [](const HostSpec& host) { return isOwnName(host.name); });
}

Result<std::vector<std::string>> reachableAddresses(const std::string& network) {
    std::vector<std::string> found;
    std::string all;
    for (const Interface& interface : interfaces()) {
        if (interface.loopback) continue;
        all += (all.empty() ? "" : ", ") + interface.name + " " + interface.text();
        if (network.empty() || isIn(interface, network)) found.push_back(interface.text());
    }
    if (!found.empty()) return found;
    if (network.empty())
        return fail(Error{
            say("other hosts cannot reach this machine"), "/cluster/hosts", say("no network interface is up"), {}});
    return fail(Error{say("other hosts cannot reach this machine"), "/cluster/network",
                      say("no interface here is in {}", network),
                      all.empty() ? say("no interface is up") : say("one of {}", all)});
}

}  // namespace shardlab::launch
