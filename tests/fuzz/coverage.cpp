// SPDX-License-Identifier: Apache-2.0
// Tells libFuzzer which edges an input takes where the code is compiled by gcc. libFuzzer counts edges in a table that
// clang lays out; gcc calls a function at each edge (-fsanitize-coverage=trace-pc), which counts here, in a table by
// the place in the program. Two edges may share a counter, which costs a little attention and nothing else.
#include <cstddef>
#include <cstdint>

extern "C" void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end);
extern "C" void __sanitizer_cov_trace_pc();
extern "C" void __sanitizer_cov_trace_cmpf(float a, float b);
extern "C" void __sanitizer_cov_trace_cmpd(double a, double b);

namespace {

constexpr int tableBits = 16;
std::uint8_t counters[std::size_t{1} << tableBits];  // no class: its functions would be counted too, for ever

[[gnu::constructor, gnu::no_sanitize_coverage]] void registerCounters() {
    __sanitizer_cov_8bit_counters_init(counters, counters + sizeof counters);
}

}  // namespace

/// In place of libFuzzer's own, which ends the program with the advice to use clang.
extern "C" [[gnu::no_sanitize_coverage]] void __sanitizer_cov_trace_pc() {
    // Less a place in the program: the same in every process, wherever it was loaded.
    const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                       reinterpret_cast<std::uintptr_t>(&__sanitizer_cov_trace_pc);
    std::uint8_t& counter = counters[(static_cast<std::uint64_t>(place) * 0x9e3779b97f4a7c15u) >> (64 - tableBits)];
    if (counter < 255) ++counter;
}

/// gcc tells of compared floating-point numbers too; libFuzzer has no use for them.
extern "C" [[gnu::no_sanitize_coverage]] void __sanitizer_cov_trace_cmpf(float, float) {}
extern "C" [[gnu::no_sanitize_coverage]] void __sanitizer_cov_trace_cmpd(double, double) {}
