// SPDX-License-Identifier: Apache-2.0
// The cnn's operations and the whole model again, in double precision and as plainly as their formulas.
#pragma once

#include "kernels/image_shape.h"
#include "tests/kernels/reference.h"

namespace reference {

using shardlab::kernels::ImageShape;

inline std::size_t placeIn(const ImageShape& shape, int sample, int y, int x, int channel) {
    return std::size_t(((std::int64_t(sample) * shape.height + y) * shape.width + x) * shape.channels + channel);
}

/// visit(sample, y, x, channel) of every element.
template <class Visit>
void eachOf(const ImageShape& shape, Visit visit) {
    for (int sample = 0; sample < shape.samples; ++sample)
        for (int y = 0; y < shape.height; ++y)
            for (int x = 0; x < shape.width; ++x)
                for (int channel = 0; channel < shape.channels; ++channel) visit(sample, y, x, channel);
}

/// 0 beyond the edges.
inline double pixelOf(const Values& images, const ImageShape& shape, int sample, int y, int x, int channel) {
    const bool inside = y >= 0 && y < shape.height && x >= 0 && x < shape.width;
    return inside ? images[placeIn(shape, sample, y, x, channel)] : 0;
}

inline Values patches(const Values& images, const ImageShape& shape) {
    Values spread;
    for (int sample = 0; sample < shape.samples; ++sample)
        for (int y = 0; y < shape.height; ++y)
            for (int x = 0; x < shape.width; ++x)
                for (int j = -1; j <= 1; ++j)
                    for (int i = -1; i <= 1; ++i)
                        for (int c = 0; c < shape.channels; ++c)
                            spread.push_back(pixelOf(images, shape, sample, y + j, x + i, c));
    return spread;
}

/// Straight from its definition, without patches.
inline Values convolution(const Values& images, const ImageShape& shape, const Values& weight, const Values& bias) {
    const int outputs = int(bias.size());
    Values made;
    eachOf({shape.samples, shape.height, shape.width, outputs}, [&](int sample, int y, int x, int output) {
        double sum = bias[std::size_t(output)];
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 3; ++i)
                for (int c = 0; c < shape.channels; ++c)
                    sum += pixelOf(images, shape, sample, y + j - 1, x + i - 1, c) *
                           weight[std::size_t(((3 * j + i) * shape.channels + c) * outputs + output)];
        made.push_back(sum);
    });
    return made;
}

inline Values relu(Values x) {
    for (double& value : x) value = std::max(value, 0.0);
    return x;
}

/// visit(element of what is pooled, the four elements of its window).
template <class Visit>
void eachWindow(const ImageShape& shape, Visit visit) {
    std::size_t at = 0;
    eachOf({shape.samples, shape.height / 2, shape.width / 2, shape.channels},
           [&](int sample, int y, int x, int channel) {
               std::size_t window[4];
               for (int i = 0; i < 4; ++i) window[i] = placeIn(shape, sample, 2 * y + i / 2, 2 * x + i % 2, channel);
               visit(at++, window);
           });
}

inline Values maxPool(const Values& images, const ImageShape& shape) {
    Values pooled(images.size() / 4);
    eachWindow(shape, [&](std::size_t at, const std::size_t* window) {
        pooled[at] = std::max({images[window[0]], images[window[1]], images[window[2]], images[window[3]]});
    });
    return pooled;
}

/// The gradient with respect to the input of the ReLU that made the images.
inline Values maxPoolGradient(const Values& images, const ImageShape& shape, const Values& pooledGradient) {
    Values gradient(images.size());
    eachWindow(shape, [&](std::size_t at, const std::size_t* window) {
        int best = 0;
        for (int i = 1; i < 4; ++i)
            if (images[window[i]] > images[window[best]]) best = i;
        if (images[window[best]] > 0) gradient[window[best]] = pooledGradient[at];
    });
    return gradient;
}

struct CnnShape {
    int samples = 1;
    int image = 4;
    int channels = 1;
    int hidden = 2;
    int layers = 1;
    int convolutions = 1;
    int classes = 2;
};

/// Mean over the samples.
inline double cnnLoss(const Weights& w, const CnnShape& shape, std::span<const std::int32_t> pixels,
                      std::span<const std::int32_t> classes) {
    Values x;
    for (const std::int32_t pixel : pixels) x.push_back(pixel / 127.5 - 1);
    ImageShape maps{shape.samples, shape.image, shape.image, shape.channels};
    for (int block = 0; block < shape.layers; ++block) {
        for (int i = 0; i < shape.convolutions; ++i) {
            const std::string name = "h." + std::to_string(block) + ".conv." + std::to_string(i);
            x = relu(convolution(x, maps, w.at(name + ".weight"), w.at(name + ".bias")));
            maps.channels = int(w.at(name + ".bias").size());
        }
        x = maxPool(x, maps);
        maps.height /= 2;
        maps.width /= 2;
    }
    const int features = int(x.size()) / shape.samples;
    const Values normed = layerNorm(x, w.at("ln_f.weight"), w.at("ln_f.bias"));
    return crossEntropy(product(normed, w.at("lm_head.weight"), shape.samples, shape.classes, features, false, true),
                        shape.classes, classes);
}

}  // namespace reference
