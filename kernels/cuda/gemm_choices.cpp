// SPDX-License-Identifier: Apache-2.0
#include "kernels/cuda/gemm_choices.cuh"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace shardlab::kernels::cuda {

namespace {

constexpr std::size_t digits = 16;  ///< of a word of an algorithm

std::string textOf(const cublasLtMatmulAlgo_t& algorithm) {
    std::string text;
    for (const std::uint64_t word : algorithm.data)
        for (std::size_t i = digits; i-- > 0;) text += "0123456789abcdef"[word >> 4 * i & 15];
    return text;
}

std::optional<cublasLtMatmulAlgo_t> algorithmOf(std::string_view text) {
    cublasLtMatmulAlgo_t algorithm{};
    if (text.size() != digits * std::size(algorithm.data)) return std::nullopt;
    for (std::uint64_t& word : algorithm.data) {
        const char* const end = text.data() + digits;
        const auto read = std::from_chars(text.data(), end, word, 16);
        if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
        text.remove_prefix(digits);
    }
    return algorithm;
}

}  // namespace

GemmChoices::GemmChoices(std::string path, const std::string& gpu)
    : path_(std::move(path)), machine_(gpu + ", cuBLASLt " + std::to_string(cublasLtGetVersion())) {
    std::ifstream file(path_);
    if (!file && errno == ENOENT) return;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
        const auto algorithm = second < line.size() ? algorithmOf(std::string_view(line).substr(second + 1))
                                                    : std::optional<cublasLtMatmulAlgo_t>{};
        if (!algorithm)
            throw std::runtime_error("SHARDLAB_CUDA_PRODUCTS: " + path_ + ", line " + std::to_string(number) +
                                     ": not a GPU, a product and an algorithm of 128 hexadecimal digits, parted by "
                                     "tabs; without the line its product is measured again");
        if (line.compare(0, first, machine_) == 0)
            algorithms_.emplace(line.substr(first + 1, second - first - 1), *algorithm);
    }
    if (!file.is_open() || file.bad())
        throw std::runtime_error("SHARDLAB_CUDA_PRODUCTS: " + path_ + " cannot be read: " + std::strerror(errno));
}

const cublasLtMatmulAlgo_t* GemmChoices::find(const std::string& product) const {
    const auto found = algorithms_.find(product);
    return found == algorithms_.end() ? nullptr : &found->second;
}

void GemmChoices::add(const std::string& product, const cublasLtMatmulAlgo_t& algorithm) {
    algorithms_.emplace(product, algorithm);
    std::ofstream file(path_, std::ios::app);
    // Written at once: lines of several processes do not mix.
    file << machine_ + '\t' + product + '\t' + textOf(algorithm) + '\n' << std::flush;
    if (!file)
        throw std::runtime_error("SHARDLAB_CUDA_PRODUCTS: " + path_ + " cannot be written: " + std::strerror(errno));
}

}  // namespace shardlab::kernels::cuda
