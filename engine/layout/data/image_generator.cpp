// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/data/image_generator.h"

#include "engine/base/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace shardlab::layout {

namespace {

constexpr int waves = 3;
constexpr int mostPeriods = 3;  ///< most periods of a wave over an image

/// A wave with an integer number of periods in either direction, so that a shifted pattern has no seam.
struct Wave {
    int across = 0;
    int down = 0;
    double phase = 0;  ///< of the first channel; each further channel is later by `lag`
    double lag = 0;
};

using Pattern = std::array<Wave, waves>;

Pattern patternOf(std::int64_t seed, int number) {
    RandomStream random(seed, fmt::format("images of class {}", number));
    Pattern pattern;
    for (Wave& wave : pattern) {
        while (wave.across == 0 && wave.down == 0) {
            wave.across = static_cast<int>(random.below(mostPeriods + 1));
            wave.down = static_cast<int>(random.below(2 * mostPeriods + 1)) - mostPeriods;
        }
        wave.phase = random.uniform() * 2 * std::numbers::pi;
        wave.lag = random.uniform() * 2 * std::numbers::pi;
    }
    return pattern;
}

}  // namespace

std::vector<std::uint32_t> generateImages(std::int64_t seed, const ModelSpec& model, std::int64_t count) {
    std::vector<Pattern> patterns;
    for (int number = 0; number < model.cnn.classes; ++number) patterns.push_back(patternOf(seed, number));
    // Waves are periodic: each has only `image` different values.
    const int side = model.cnn.image;
    constexpr double turn = 2 * std::numbers::pi;
    std::vector<std::uint32_t> samples;
    samples.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(sampleInputs(model) + 1));
    RandomStream random(seed, "images");
    std::vector<double> heights(static_cast<std::size_t>(side));
    std::vector<double> picture(static_cast<std::size_t>(side) * static_cast<std::size_t>(side * model.cnn.channels));
    for (std::int64_t sample = 0; sample < count; ++sample) {
        const auto number = random.below(static_cast<std::uint32_t>(model.cnn.classes));
        const auto right = random.below(static_cast<std::uint32_t>(side)),
                   low = random.below(static_cast<std::uint32_t>(side));
        const double strength = 20 + 20 * random.uniform();
        std::ranges::fill(picture, 127.5);
        for (const Wave& wave : patterns[number])
            for (int channel = 0; channel < model.cnn.channels; ++channel) {
                for (int i = 0; i < side; ++i)
                    heights[static_cast<std::size_t>(i)] =
                        strength * std::sin(turn * i / side + wave.phase + channel * wave.lag);
                auto pixel = static_cast<std::size_t>(channel);
                for (int y = 0; y < side; ++y)
                    for (int x = 0; x < side; ++x, pixel += static_cast<std::size_t>(model.cnn.channels)) {
                        const int at =
                            wave.across * (x + static_cast<int>(right)) + wave.down * (y + static_cast<int>(low));
                        picture[pixel] += heights[static_cast<std::size_t>((at % side + side) % side)];
                    }
            }
        for (const double value : picture) {
            const double noise = 60 * (random.uniform() + random.uniform() - 1);
            samples.push_back(static_cast<std::uint32_t>(std::clamp(std::lround(value + noise), 0L, 255L)));
        }
        samples.push_back(static_cast<std::uint32_t>(number));
    }
    return samples;
}

}  // namespace shardlab::layout
