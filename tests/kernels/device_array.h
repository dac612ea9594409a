// SPDX-License-Identifier: Apache-2.0
// Values in the memory of a device, for tests: given and read back as fp32, held in any type.
#pragma once

#include "kernels/device.h"
#include "tests/kernels/reference.h"
#include "tests/support/wings.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace shardlab::test {

/// The number of `type` next to `value`, ties to even; by arithmetic alone, so that it can judge conversions.
inline double roundedTo(DType type, double value) {
    if (type == DType::F32) return float(value);
    if (!std::isfinite(value) || value == 0) return value;
    const bool brain = type == DType::BF16;
    const int digits = brain ? 8 : 11;
    const int exponent = std::max(std::ilogb(value), brain ? -126 : -14);
    const double unit = std::ldexp(1.0, exponent - digits + 1);
    const double rounded = std::nearbyint(value / unit) * unit;
    const double largest = brain ? std::ldexp(255.0, 120) : 65504.0;
    return std::abs(rounded) > largest ? std::copysign(HUGE_VAL, value) : rounded;
}

/// Bits of `value`, which is a number of that 16-bit type or none.
inline std::uint16_t halfOf(DType type, float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if (type == DType::BF16) return std::uint16_t(bits >> 16);
    const auto sign = std::uint16_t(bits >> 16 & 0x8000);
    if (std::isnan(value)) return sign | 0x7E00;
    if (std::isinf(value)) return sign | 0x7C00;
    const double magnitude = std::abs(double(value));
    if (magnitude < 0x1p-14) return std::uint16_t(sign | int(magnitude * 0x1p24));
    const int exponent = std::ilogb(magnitude);
    return std::uint16_t(sign | (exponent + 15) << 10 | (int(std::ldexp(magnitude, 10 - exponent)) & 0x3FF));
}

inline float ofHalf(DType type, std::uint16_t half) {
    if (type == DType::BF16) return std::bit_cast<float>(std::uint32_t(half) << 16);
    const int exponent = half >> 10 & 31;
    const int fraction = half & 0x3FF;
    double value = exponent == 0 ? fraction * 0x1p-24 : std::ldexp(1024.0 + fraction, exponent - 25);
    if (exponent == 31) value = fraction ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
    return float(half & 0x8000 ? -value : value);
}

class DeviceArray {
public:
    DeviceArray(Device& device, std::span<const float> values, DType type) : DeviceArray(device, values.size(), type) {
        write(values);
    }
    DeviceArray(Device& device, const std::vector<std::int32_t>& values)
        : DeviceArray(device, values.size(), DType::I32) {
        device.upload(values.data(), data_, values.size() * sizeof(std::int32_t));
    }
    /// Not numbers: what is overwritten may hold anything.
    static DeviceArray poisoned(Device& device, std::size_t count, DType type = DType::F32) {
        return {device, std::vector<float>(count, std::numeric_limits<float>::quiet_NaN()), type};
    }
    DeviceArray(DeviceArray&& other) noexcept
        : device_(other.device_), data_(std::exchange(other.data_, nullptr)), count_(other.count_), type_(other.type_),
          given_(std::move(other.given_)) {}
    ~DeviceArray() {
        if (data_) device_->release(data_);
    }

    void write(std::span<const float> values) {
        given_.clear();
        for (float value : values) given_.push_back(roundedTo(type_, value));
        if (type_ == DType::F32) return device_->upload(values.data(), data_, values.size() * sizeof(float));
        std::vector<std::uint16_t> halves;
        for (double value : given_) halves.push_back(halfOf(type_, float(value)));
        device_->upload(halves.data(), data_, halves.size() * 2);
    }
    /// What was written there last, rounded to the type.
    const reference::Values& given() const { return given_; }
    /// What is there now; nothing where something was written beyond the end.
    std::vector<float> now() const {
        std::vector<std::byte> bytes((count_ + guard) * sizeOf(type_));
        device_->download(data_, bytes.data(), bytes.size());
        for (std::size_t i = count_ * sizeOf(type_); i < bytes.size(); ++i)
            if (bytes[i] != sentinel) return {};
        std::vector<float> values(count_);
        if (type_ == DType::F32) {
            if (count_ > 0) std::memcpy(values.data(), bytes.data(), count_ * sizeof(float));
            return values;
        }
        for (std::size_t i = 0; i < count_; ++i) {
            std::uint16_t half;
            std::memcpy(&half, bytes.data() + 2 * i, 2);
            values[i] = ofHalf(type_, half);
        }
        return values;
    }

    DType type() const { return type_; }
    std::size_t size() const { return count_; }
    operator Array() const { return {data_, type_}; }
    operator ConstArray() const { return {data_, type_}; }
    Array operator+(std::ptrdiff_t elements) const { return Array(data_, type_) + elements; }
    float* floats() const { return static_cast<float*>(data_); }
    std::int32_t* tokens() const { return static_cast<std::int32_t*>(data_); }

private:
    static constexpr std::size_t guard = 32;
    static constexpr std::byte sentinel{0x5A};

    DeviceArray(Device& device, std::size_t count, DType type)
        : device_(&device), data_(device.allocate((count + guard) * sizeOf(type))), count_(count), type_(type) {
        const std::vector<std::byte> bytes((count + guard) * sizeOf(type), sentinel);
        device.upload(bytes.data(), data_, bytes.size());
    }
    Device* device_;
    void* data_;
    std::size_t count_;
    DType type_;
    reference::Values given_;
};

/// What `ask(&loss)` asks the device for, once it is there.
template <class Ask>
double lossOf(Device& device, Ask ask) {
    double loss = std::numeric_limits<double>::quiet_NaN();
    ask(&loss);
    device.synchronize();
    return loss;
}

}  // namespace shardlab::test
