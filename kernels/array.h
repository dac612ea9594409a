// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in the memory of a device, and the types of their elements.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace shardlab::kernels {

/// The type of an element. Activations, weights and gradients are F32, BF16 or F16; token numbers I32; codes
/// (moment_codes.h) U8.
enum class DType : std::uint8_t { F32, BF16, F16, I32, U8 };

constexpr std::size_t sizeOf(DType type) {
    if (type == DType::U8) return 1;
    return type == DType::F32 || type == DType::I32 ? 4 : 2;
}

/// Where an array begins; null where there is none. Counts are always elements, whatever their type.
struct ConstArray {
    const void* data = nullptr;
    DType type = DType::F32;

    ConstArray() = default;
    ConstArray(const float* values) : data(values) {}
    ConstArray(const void* values, DType of) : data(values), type(of) {}

    explicit operator bool() const { return data != nullptr; }
    ConstArray operator+(std::ptrdiff_t elements) const {
        return {static_cast<const std::byte*>(data) + elements * static_cast<std::ptrdiff_t>(sizeOf(type)), type};
    }
    /// The elements of an array of fp32.
    const float* floats() const {
        assert(type == DType::F32);
        return static_cast<const float*>(data);
    }
};

struct Array {
    void* data = nullptr;
    DType type = DType::F32;

    Array() = default;
    Array(float* values) : data(values) {}
    Array(void* values, DType of) : data(values), type(of) {}

    operator ConstArray() const { return {data, type}; }
    explicit operator bool() const { return data != nullptr; }
    Array operator+(std::ptrdiff_t elements) const {
        return {static_cast<std::byte*>(data) + elements * static_cast<std::ptrdiff_t>(sizeOf(type)), type};
    }
    float* floats() const {
        assert(type == DType::F32);
        return static_cast<float*>(data);
    }
};

/// A number of elements of an array.
class ConstArraySpan {
public:
    ConstArraySpan() = default;
    ConstArraySpan(ConstArray begin, std::size_t size) : begin_(begin), size_(size) {}
    ConstArraySpan(std::span<const float> values) : begin_(values.data()), size_(values.size()) {}
    ConstArraySpan(const std::vector<float>& values) : begin_(values.data()), size_(values.size()) {}

    ConstArray data() const { return begin_; }
    DType type() const { return begin_.type; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    ConstArraySpan subspan(std::size_t offset, std::size_t count) const {
        assert(offset + count <= size_);
        return {begin_ + static_cast<std::ptrdiff_t>(offset), count};
    }
    ConstArraySpan first(std::size_t count) const { return subspan(0, count); }
    ConstArraySpan last(std::size_t count) const { return subspan(size_ - count, count); }
    std::span<const std::byte> bytes() const {
        return {static_cast<const std::byte*>(begin_.data), size_ * sizeOf(begin_.type)};
    }
    /// The elements of an array of fp32 that the processor can read.
    std::span<const float> floats() const { return {begin_.floats(), size_}; }

private:
    ConstArray begin_;
    std::size_t size_ = 0;
};

class ArraySpan {
public:
    ArraySpan() = default;
    ArraySpan(Array begin, std::size_t size) : begin_(begin), size_(size) {}
    ArraySpan(std::span<float> values) : begin_(values.data()), size_(values.size()) {}
    ArraySpan(std::vector<float>& values) : begin_(values.data()), size_(values.size()) {}

    operator ConstArraySpan() const { return {begin_, size_}; }
    Array data() const { return begin_; }
    DType type() const { return begin_.type; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    ArraySpan subspan(std::size_t offset, std::size_t count) const {
        assert(offset + count <= size_);
        return {begin_ + static_cast<std::ptrdiff_t>(offset), count};
    }
    ArraySpan first(std::size_t count) const { return subspan(0, count); }
    ArraySpan last(std::size_t count) const { return subspan(size_ - count, count); }
    std::span<std::byte> bytes() const { return {static_cast<std::byte*>(begin_.data), size_ * sizeOf(begin_.type)}; }
    std::span<float> floats() const { return {begin_.floats(), size_}; }

private:
    Array begin_;
    std::size_t size_ = 0;
};

}  // namespace shardlab::kernels
