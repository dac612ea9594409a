// SPDX-License-Identifier: Apache-2.0
// What tests of kernels share: every device that this machine has, in all types, one row each; arrays on it; what it
// may be off by.
#pragma once

#include "kernels/cuda_device.h"
#include "kernels/device.h"
#include "kernels/threads.h"
#include "tests/kernels/device_array.h"
#include "tests/kernels/random_inputs.h"
#include "tests/kernels/reference.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <memory>
#include <span>
#include <vector>

namespace shardlab::test {

/// A device, and types of activations, weights, gradients of weights.
struct KernelRow {
    Device* device = nullptr;
    DType t = DType::F32;
    DType p = DType::F32;
    DType g = DType::F32;
};

/// What a header promises for fp32, or what device.h promises for what is written in 16 bits.
inline double allowed(DType written, double ofFloats) {
    if (written == DType::F32) return ofFloats;
    return written == DType::BF16 ? 4 * 0x1p-8 : 4 * 0x1p-11;
}

/// Fills no vector, or fills every vector: what kernels take different ways for.
inline int someWidth(RandomInputs& in, int most) {
    static constexpr int units[] = {8, 16, 64};
    if (in.coin()) return in.whole(1, most);
    const int unit = units[in.whole(0, 2)];
    return unit * in.whole(1, std::max(1, most / unit));
}

/// A test's own slots initTestCase_data and init call addRows and takeRow.
class KernelRows {
protected:
    void addRows() {
        QTest::addColumn<KernelRow>("row");
        addRowsOf("cpu", cpu_.get());
        if (cuda_.device) addRowsOf("cuda", cuda_.device.get());
        else qInfo("CUDA is not tested: %s", cuda_.reason.c_str());
    }
    void takeRow() {
        QFETCH_GLOBAL(KernelRow, row);
        row_ = row;
    }

    Device& device() const { return *row_.device; }
    Device& processor() const { return *cpu_; }
    const KernelRow& row() const { return row_; }
    DeviceArray array(std::span<const float> values, DType type) const { return {device(), values, type}; }
    DeviceArray activations(std::span<const float> values) const { return array(values, row_.t); }
    DeviceArray weights(std::span<const float> values) const { return array(values, row_.p); }
    DeviceArray gradients(std::span<const float> values) const { return array(values, row_.g); }
    DeviceArray floats(std::span<const float> values) const { return array(values, DType::F32); }
    DeviceArray tokens(const std::vector<std::int32_t>& values) const { return {device(), values}; }
    DeviceArray poisoned(std::size_t count, DType type = DType::F32) const {
        return DeviceArray::poisoned(device(), count, type);
    }
    /// The factor by which the mask multiplies each element.
    std::vector<float> maskOf(int rows, int columns, const DropoutMask& mask) const {
        const DeviceArray keep = floats(std::vector<float>(std::size_t(rows) * columns, 1));
        device().dropout(rows, columns, mask, keep);
        return keep.now();
    }

private:
    static void addRowsOf(const char* name, Device* device) {
        constexpr auto fp32 = DType::F32, bf16 = DType::BF16, fp16 = DType::F16;
        QTest::addRow("%s fp32", name) << KernelRow{device};
        QTest::addRow("%s bf16", name) << KernelRow{device, bf16, bf16, bf16};
        QTest::addRow("%s bf16, gradients fp32", name) << KernelRow{device, bf16, bf16, fp32};
        QTest::addRow("%s bf16, weights and gradients fp32", name) << KernelRow{device, bf16, fp32, fp32};
        QTest::addRow("%s fp16", name) << KernelRow{device, fp16, fp16, fp16};
        QTest::addRow("%s fp16, weights and gradients fp32", name) << KernelRow{device, fp16, fp32, fp32};
    }
    std::unique_ptr<Device> cpu_ = makeCpuDevice();
    DeviceOrReason cuda_ = openCudaDevice(0);
    KernelRow row_;
};

}  // namespace shardlab::test

// CLOSE judges a DeviceArray, where a RandomInputs `in` is at hand. `least` is the smallest magnitude that counts as
// the largest one: where numbers of either sign may come to next to nothing, what their rounding leaves is no share of
// it.
#define CLOSE(array, wanted, tolerance) CLOSE_ABOVE(array, wanted, tolerance, 1e-9)
#define CLOSE_ABOVE(array, wanted, tolerance, least)                                                                   \
    do {                                                                                                               \
        const double off = reference::mismatch((array).now(), wanted, least);                                          \
        QVERIFY2(off < allowed((array).type(), tolerance),                                                             \
                 qPrintable(QStringLiteral("off by %1, %2").arg(off).arg(in.seed())));                                 \
    } while (false)

#define TRUE_OF(condition) QVERIFY2(condition, qPrintable(in.seed()))
