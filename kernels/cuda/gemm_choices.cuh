// SPDX-License-Identifier: Apache-2.0
// Which of cuBLASLt's algorithms computes a product, kept in a file, so that runs repeat to the bit.
#pragma once

#include <cublasLt.h>

#include <map>
#include <string>

namespace shardlab::kernels::cuda {

/// A text file with three columns, which tabs part: the GPU and the version of cuBLASLt, the product, the algorithm in
/// hexadecimal. The first line of a product counts, so that several processes may add to a file and then read the same.
class GemmChoices {
public:
    /// Reads the lines of this GPU and of the library that is loaded; a file that does not exist is an empty one.
    /// Throws std::runtime_error where it cannot be read, or a line says nothing.
    GemmChoices(std::string path, const std::string& gpu);

    /// Null where the product was not measured yet; valid as long as this.
    const cublasLtMatmulAlgo_t* find(const std::string& product) const;
    /// Throws std::runtime_error where the file cannot be written.
    void add(const std::string& product, const cublasLtMatmulAlgo_t& algorithm);
    const std::string& path() const { return path_; }

private:
    std::string path_;
    std::string machine_;  ///< what the first column says of this one
    std::map<std::string, cublasLtMatmulAlgo_t> algorithms_;
};

}  // namespace shardlab::kernels::cuda
