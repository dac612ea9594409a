// SPDX-License-Identifier: Apache-2.0
// Of what convolutional models need beside their products.
#include "kernels/metered_call.h"

namespace shardlab {
namespace {

double elementsOf(const ImageShape& shape) { return static_cast<double>(shape.elements()); }

}  // namespace

void MeteredDevice::scalePixels(std::int64_t count, const std::int32_t* pixels, Array images) {
    const auto elements = static_cast<double>(count);
    const Call call(*this, KernelKind::Pooling, 0, elements * sizeof(std::int32_t) + bytesOf(images, elements));
    device_.scalePixels(count, pixels, images);
}

void MeteredDevice::spreadPatches(const ImageShape& shape, ConstArray images, Array patches) {
    const Call call(*this, KernelKind::Patches, 0, bytesOf(images, 10 * elementsOf(shape)));
    device_.spreadPatches(shape, images, patches);
}

void MeteredDevice::sumPatches(const ImageShape& shape, ConstArray patches, ConstArray activated, Array images) {
    const Call call(*this, KernelKind::Patches, 0,
                    bytesOf(patches, 10 * elementsOf(shape)) + bytesOf(activated, elementsOf(shape)));
    device_.sumPatches(shape, patches, activated, images);
}

void MeteredDevice::relu(std::int64_t count, Array x) {
    const Call call(*this, KernelKind::Pooling, 0, bytesOf(x, 2 * static_cast<double>(count)));
    device_.relu(count, x);
}

void MeteredDevice::maxPool(const ImageShape& shape, ConstArray images, Array pooled, std::uint8_t* codes) {
    const auto ofCodes = codes ? static_cast<double>(poolCodes(shape)) : 0;
    const Call call(*this, KernelKind::Pooling, 0, bytesOf(images, 1.25 * elementsOf(shape)) + ofCodes);
    device_.maxPool(shape, images, pooled, codes);
}

void MeteredDevice::maxPoolGrad(const ImageShape& shape, ConstArray pooledGradient, Array images) {
    const Call call(*this, KernelKind::Pooling, 0, bytesOf(images, 2.25 * elementsOf(shape)));
    device_.maxPoolGrad(shape, pooledGradient, images);
}

void MeteredDevice::maxPoolCodedGrad(const ImageShape& shape, const std::uint8_t* codes, ConstArray pooledGradient,
                                     Array images) {
    const Call call(*this, KernelKind::Pooling, 0,
                    bytesOf(images, 1.25 * elementsOf(shape)) + static_cast<double>(poolCodes(shape)));
    device_.maxPoolCodedGrad(shape, codes, pooledGradient, images);
}

void MeteredDevice::packFloats(std::int64_t count, int bits, ConstArray from, std::uint8_t* packed) {
    const Call call(*this, KernelKind::Elementwise, 0,
                    bytesOf(from, static_cast<double>(count)) + static_cast<double>(packedBytes(count, bits)));
    device_.packFloats(count, bits, from, packed);
}

void MeteredDevice::unpackFloats(std::int64_t count, int bits, const std::uint8_t* packed, Array to) {
    const Call call(*this, KernelKind::Elementwise, 0,
                    bytesOf(to, static_cast<double>(count)) + static_cast<double>(packedBytes(count, bits)));
    device_.unpackFloats(count, bits, packed, to);
}

}  // namespace shardlab
