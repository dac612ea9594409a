// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/cpu_device.h"
#include "kernels/cpu/rotary_angles.h"

namespace shardlab::kernels {

namespace {

using Access = cpu::Floats::Access;

/// The widths of a head, and the cosines and sines of a position.
struct LatentToken {
    int heads, plain, turned, values;
    float factor;
    const float* c;
    const float* s;

    LatentToken(const LatentShape& shape, const cpu::Angles& angles)
        : heads(shape.heads), plain(shape.plain), turned(shape.turned), values(shape.values),
          factor(shape.queryFactor()), c(angles.cosines()), s(angles.sines()) {}
};

SHARDLAB_INLINE void scaleTo(int count, float factor, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (int i = 0; i < count; ++i) to[i] = factor * from[i];
}

SHARDLAB_INLINE void addTo(int count, const float* __restrict from, float* __restrict to) {
#pragma omp simd
    for (int i = 0; i < count; ++i) to[i] += from[i];
}

/// `room` has room for the turned columns.
SHARDLAB_HOT void latentApart(const LatentToken& t, const float* queries, const float* expanded, const float* sharedKey,
                              float* room, float* apart) {
    const int width = t.plain + t.turned, all = t.heads * width, half = t.turned / 2;
    for (int head = 0; head < t.heads; ++head) {
        const float* query = queries + head * width;
        float* to = apart + head * width;
        scaleTo(t.plain, t.factor, query, to);
        cpu::turn(half, t.c, t.s, 1, query + t.plain, room);
        scaleTo(t.turned, t.factor, room, to + t.plain);
    }
    cpu::turn(half, t.c, t.s, 1, sharedKey, room);
    for (int head = 0; head < t.heads; ++head) {
        const float* from = expanded + head * (t.plain + t.values);
        float* key = apart + all + head * width;
        float* value = apart + 2 * all + head * width;
        scaleTo(t.plain, 1, from, key);
        scaleTo(t.turned, 1, room, key + t.plain);
        scaleTo(t.values, 1, from + t.plain, value);
        for (int i = t.values; i < width; ++i) value[i] = 0;
    }
}

/// `room` has room for the turned columns, twice.
SHARDLAB_HOT void latentTogether(const LatentToken& t, const float* apart, float* room, float* queries, float* expanded,
                                 float* sharedKey) {
    const int width = t.plain + t.turned, all = t.heads * width, half = t.turned / 2;
    float* const sum = room + t.turned;
    for (int i = 0; i < t.turned; ++i) sum[i] = 0;
    for (int head = 0; head < t.heads; ++head) {
        const float* query = apart + head * width;
        const float* key = query + all;
        float* toQuery = queries + head * width;
        float* to = expanded + head * (t.plain + t.values);
        scaleTo(t.plain, t.factor, query, toQuery);
        cpu::turn(half, t.c, t.s, -1, query + t.plain, room);
        scaleTo(t.turned, t.factor, room, toQuery + t.plain);
        scaleTo(t.plain, 1, key, to);
        addTo(t.turned, key + t.plain, sum);
        scaleTo(t.values, 1, key + all, to + t.plain);
    }
    cpu::turn(half, t.c, t.s, -1, sum, sharedKey);
}

}  // namespace

void CpuDevice::latentHeads(const LatentShape& shape, ConstArray queries, ConstArray expanded, ConstArray sharedKey,
                            Array apart) {
    const int q = shape.queryColumns(), e = shape.expandedColumns(), k = shape.turned, out = shape.apartColumns();
    cpu::byTokens(shape.rotation(), 1, out, [&](const cpu::Angles& angles, std::int64_t token, std::int64_t) {
        const cpu::ConstFloats query(queries + token * q, q), keyValue(expanded + token * e, e),
            key(sharedKey + token * k, k);
        const cpu::Floats to(apart + token * out, Access::Write, out);
        const cpu::Scratch room(static_cast<std::size_t>(k));
        latentApart({shape, angles}, query.data(), keyValue.data(), key.data(), room.data(), to.data());
    });
}

void CpuDevice::latentHeadsGrad(const LatentShape& shape, ConstArray apartGradient, Array queries, Array expanded,
                                Array sharedKey) {
    const int q = shape.queryColumns(), e = shape.expandedColumns(), k = shape.turned, in = shape.apartColumns();
    cpu::byTokens(shape.rotation(), 1, in, [&](const cpu::Angles& angles, std::int64_t token, std::int64_t) {
        const cpu::ConstFloats from(apartGradient + token * in, in);
        const cpu::Floats query(queries + token * q, Access::Write, q),
            keyValue(expanded + token * e, Access::Write, e), key(sharedKey + token * k, Access::Write, k);
        const cpu::Scratch room(2 * static_cast<std::size_t>(k));
        latentTogether({shape, angles}, from.data(), room.data(), query.data(), keyValue.data(), key.data());
    });
}

}  // namespace shardlab::kernels
