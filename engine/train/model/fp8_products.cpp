// SPDX-License-Identifier: Apache-2.0
#include "engine/train/model/fp8_products.h"

#include "engine/train/model/host_copy.h"
#include "kernels/fp8_code.h"

#include <algorithm>
#include <cmath>

namespace shardlab::train {

namespace {

Fp8Tiles tilesOf(const ScaledTile& tile) { return {tile.rows, tile.columns}; }

}  // namespace

Fp8Products::Fp8Products(Arena& arena, const PrecisionSpec& precision, int rows, int microbatches, bool owner)
    : arena_(arena), precision_(precision), rows_(rows),
      microbatches_(std::max(1, microbatches)), dense_{.owner = owner}, held_(dense_) {}

int Fp8Products::declare(const std::string& name, int layer, int inputs, int outputs) {
    products_.push_back({held_, name, layer, inputs, outputs});
    room_.include(precision_.products, {rows_, inputs, outputs});
    return static_cast<int>(products_.size()) - 1;
}

void Fp8Products::allocate() {
    const std::size_t slots = products_.size() * scaledFactors;
    if (slots == 0) return;
    const auto room = [&](std::int64_t elements, DType type) {
        return arena_.allocate(MemoryCategory::Buffers, static_cast<std::size_t>(elements), type);
    };
    codes_ = room(room_.codes, DType::U8);
    scales_ = room(room_.tiles, DType::F32);
    if (scalesInHardware(precision_.products)) exponents_ = room(room_.tiles, DType::U8);
    largest_ = arena_.allocateZeroed(MemoryCategory::Buffers, slots);
    counts_ =
        arena_.allocateZeroed(MemoryCategory::Buffers, 2 * slots * static_cast<std::size_t>(microbatches_), DType::I32);
    if (!delayed()) return;
    const auto each = static_cast<std::size_t>(historyNumbers(precision_));
    std::vector<float> begin(slots * each, 0.0f);
    for (std::size_t i = 0; i < slots; ++i) begin[i * each] = 1;
    history_ = arena_.allocate(MemoryCategory::Buffers, begin.size());
    upload(arena_.device(), begin, history_.span());
}

Fp8Format Fp8Products::formatOf(Fp8Factor factor) const {
    const bool wide = traits(precision_.products).wideGradients && factor == Fp8Factor::Gradient;
    return wide ? Fp8Format::E5M2 : Fp8Format::E4M3;
}

Fp8Matrix Fp8Products::round(int number, Fp8Factor factor, bool downRows, bool counts, int rows, int columns,
                             ConstArray x, std::size_t& codes, std::size_t& tiles) {
    Device& device = arena_.device();
    const Fp8Tiles tile = tilesOf(scaledTile(precision_.products, factor == Fp8Factor::Weight, downRows));
    const Fp8Format format = formatOf(factor);
    const std::int64_t count = tile.count(rows, columns);
    const std::size_t place = slot(number, factor);
    float* const noted = largest_.floats() + place;
    const bool notes = counts && !quiet_;
    std::uint8_t* const to = static_cast<std::uint8_t*>(codes_.data().data) + codes;
    ConstArray scales;
    if (delayed()) {
        if (notes) device.fp8Largest(rows, columns, x, {}, true, noted);
        scales = history_.data() + static_cast<std::ptrdiff_t>(place) * historyNumbers(precision_);
    } else {
        float* const largest = scales_.floats() + tiles;
        device.fp8Largest(rows, columns, x, tile, false, largest);
        if (notes) device.fp8Largest(1, static_cast<int>(count), largest, {}, true, noted);
        const Array written =
            exponents_.empty() ? Array(largest) : exponents_.data() + static_cast<std::ptrdiff_t>(tiles);
        device.fp8Scales(count, format, traits(precision_.products).powers, largest, written);
        scales = written;
    }
    Fp8Counts* const counted = static_cast<Fp8Counts*>(counts_.data().data) +
                               static_cast<std::size_t>(microbatch_) * products_.size() * scaledFactors + place;
    // Codes lie along the sum, as tensor cores want them.
    device.fp8Round(rows, columns, x, tile, format, scales, downRows, to, notes ? counted : nullptr);
    codes += static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    tiles += static_cast<std::size_t>(count);
    return {rows, columns, to, scales, tile, format, downRows};
}

void Fp8Products::forward(int number, int rows, ConstArray x, ConstArray weight, Array y) {
    const Product& of = products_[static_cast<std::size_t>(number)];
    std::size_t codes = 0, tiles = 0;
    const Fp8Matrix left = round(number, Fp8Factor::Input, false, true, rows, of.inputs, x, codes, tiles);
    const Fp8Matrix right = round(number, Fp8Factor::Weight, true, true, of.inputs, of.outputs, weight, codes, tiles);
    arena_.device().gemmFp8(rows, of.outputs, of.inputs, left, false, right, false, 0, y);
}

void Fp8Products::inputGrad(int number, int rows, ConstArray outputGradient, ConstArray weight, float before,
                            Array inputGradient) {
    const Product& of = products_[static_cast<std::size_t>(number)];
    std::size_t codes = 0, tiles = 0;
    const Fp8Matrix left =
        round(number, Fp8Factor::Gradient, false, true, rows, of.outputs, outputGradient, codes, tiles);
    const Fp8Matrix right = round(number, Fp8Factor::Weight, false, false, of.inputs, of.outputs, weight, codes, tiles);
    arena_.device().gemmFp8(rows, of.inputs, of.outputs, left, false, right, true, before, inputGradient);
}

void Fp8Products::weightGrad(int number, int rows, ConstArray x, ConstArray outputGradient, float before,
                             Array weightGradient) {
    const Product& of = products_[static_cast<std::size_t>(number)];
    std::size_t codes = 0, tiles = 0;
    const Fp8Matrix left = round(number, Fp8Factor::Input, true, false, rows, of.inputs, x, codes, tiles);
    const Fp8Matrix right =
        round(number, Fp8Factor::Gradient, true, false, rows, of.outputs, outputGradient, codes, tiles);
    arena_.device().gemmFp8(of.inputs, of.outputs, rows, left, true, right, false, before, weightGradient);
}

std::vector<Fp8Tally> Fp8Products::finishStep(const std::function<void(std::span<float>)>& combine) {
    std::vector<Fp8Tally> tallies;
    const std::size_t slots = products_.size() * scaledFactors;
    if (slots == 0) return tallies;
    Device& device = arena_.device();
    std::vector<float> largest = download(device, largest_.span());
    std::vector<Fp8Counts> counts(slots * static_cast<std::size_t>(microbatches_));
    device.download(counts_.data().data, counts.data(), counts.size() * sizeof(Fp8Counts));
    device.clear(largest_.data().data, slots * sizeof(float));
    device.clear(counts_.data().data, counts.size() * sizeof(Fp8Counts));
    std::vector<float> history;
    const auto each = static_cast<std::size_t>(historyNumbers(precision_));
    if (delayed()) history = download(device, history_.span());
    for (std::size_t i = 0; i < slots; ++i) {
        const Product& of = products_[i / scaledFactors];
        const auto factor = static_cast<Fp8Factor>(i % scaledFactors);
        const float scale =
            delayed() ? history[i * each] : fp8Scale(formatOf(factor), traits(precision_.products).powers, largest[i]);
        Fp8Tally& tally = tallies.emplace_back(Fp8Tally{of.layer, of.name, factor, largest[i], scale, {}});
        for (std::size_t m = 0; m < static_cast<std::size_t>(microbatches_); ++m)
            tally.counts.push_back(counts[m * slots + i]);
    }
    if (!delayed()) return tallies;
    combineLargest(largest, combine);
    for (std::size_t i = 0; i < slots; ++i) {
        if (!std::isfinite(largest[i])) continue;
        const std::span<float> entries = std::span(history).subspan(i * each + 1, each - 1);
        std::shift_right(entries.begin(), entries.end(), 1);
        entries.front() = largest[i];
        const float most = *std::ranges::max_element(entries);
        if (most == 0) continue;
        const float scale = fp8Scale(formatOf(static_cast<Fp8Factor>(i % scaledFactors)), false, most);
        history[i * each] = std::ldexp(scale, -precision_.margin);
    }
    upload(device, history, history_.span());
    return tallies;
}

void Fp8Products::combineLargest(std::vector<float>& largest,
                                 const std::function<void(std::span<float>)>& combine) const {
    std::vector<float> all;
    std::vector<std::size_t> own;  // where those of each product begin
    for (std::size_t p = 0; p < products_.size(); ++p) {
        const Held& held = products_[p].held;
        own.push_back(all.size() + static_cast<std::size_t>(held.holder) * scaledFactors);
        all.resize(all.size() + static_cast<std::size_t>(held.holders) * scaledFactors);
        std::copy_n(largest.begin() + static_cast<std::ptrdiff_t>(p * scaledFactors), scaledFactors,
                    all.begin() + static_cast<std::ptrdiff_t>(own[p]));
    }
    combine(all);
    for (std::size_t p = 0; p < products_.size(); ++p)
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(own[p]), scaledFactors,
                    largest.begin() + static_cast<std::ptrdiff_t>(p * scaledFactors));
}

std::vector<Parameter> Fp8Products::state() const {
    std::vector<Parameter> all;
    if (history_.empty()) return all;
    const auto each = static_cast<std::size_t>(historyNumbers(precision_));
    for (std::size_t i = 0; i < products_.size(); ++i) {
        Parameter& parameter = all.emplace_back();
        parameter.name = products_[i].name + ".fp8";
        parameter.expert = products_[i].held.spread;
        parameter.owner = products_[i].held.owner;
        parameter.shape = parameter.slice.whole = {scaledFactors, static_cast<int>(each)};
        parameter.value = history_.span().subspan(i * scaledFactors * each, scaledFactors * each);
    }
    return all;
}

}  // namespace shardlab::train
