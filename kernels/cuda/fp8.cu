// SPDX-License-Identifier: Apache-2.0
// Magnitudes are compared as the bits of non-negative fp32, which are ordered as the numbers are, with not-a-number
// above all. cuBLASLt multiplies codes where it can (fp8_way.cuh); elsewhere products are made of square tiles of codes
// in shared memory.
#include "kernels/fp8.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/fp8_way.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/fp8_code.h"

#include <cstdio>

namespace shardlab::kernels::cuda {

namespace {

constexpr int tileThreads8 = 256;
constexpr int chunkNumbers = 8192;  ///< of a tile, that a block looks at

/// The tiles of a matrix, with their sizes.
struct TilesOf {
    int rows, columns;       ///< of the matrix
    int high, wide, across;  ///< of a tile, and tiles of a row

    TilesOf(int matrixRows, int matrixColumns, const Fp8Tiles& tiles)
        : rows(matrixRows), columns(matrixColumns), high(tiles.rows == 0 ? matrixRows : tiles.rows),
          wide(tiles.columns == 0 ? matrixColumns : tiles.columns), across(tiles.across(matrixColumns)) {}
    __device__ std::int64_t of(int row, int column) const {
        return static_cast<std::int64_t>(row / high) * across + column / wide;
    }
};

template <class T>
__global__ void __launch_bounds__(tileThreads8) largestKernel(TilesOf tiles, const T* x, unsigned* largest) {
    const int tile = static_cast<int>(blockIdx.x), firstRow = tile / tiles.across * tiles.high,
              firstColumn = tile % tiles.across * tiles.wide;
    const int below = tiles.rows - firstRow, beside = tiles.columns - firstColumn;
    const int high = tiles.high < below ? tiles.high : below, wide = tiles.wide < beside ? tiles.wide : beside;
    const std::int64_t count = static_cast<std::int64_t>(high) * wide,
                       begin = static_cast<std::int64_t>(blockIdx.y) * chunkNumbers;
    const std::int64_t end = begin + chunkNumbers < count ? begin + chunkNumbers : count;
    unsigned most = 0;
    for (std::int64_t i = begin + threadIdx.x; i < end; i += tileThreads8) {
        const std::int64_t row = firstRow + i / wide, column = firstColumn + i % wide;
        most = Largest{}(most, bitsOf(toFloat(x[row * tiles.columns + column])) & 0x7fffffffu);
    }
    most = blockMax<tileThreads8>(most);
    if (threadIdx.x == 0 && most > 0) atomicMax(&largest[tile], most);
}

__global__ void scalesKernel(std::int64_t count, Fp8Format format, bool powers, const float* largest, Array scales) {
    overElements<1>(count, [=](std::int64_t i, auto) {
        if (scales.type == DType::U8) static_cast<std::uint8_t*>(scales.data)[i] = fp8ScaleByte(format, largest[i]);
        else static_cast<float*>(scales.data)[i] = fp8Scale(format, powers, largest[i]);
    });
}

/// What a matrix is rounded to, as a kernel takes it, and what a thread counts on the way.
struct Rounding {
    TilesOf tiles;
    Fp8Format format;
    ConstArray scales;
    int saturated = 0, flushed = 0;

    template <class T>
    __device__ std::uint8_t code(const T* x, int row, int column) {
        const float value = toFloat(x[static_cast<std::int64_t>(row) * tiles.columns + column]),
                    scaled = value * fp8Factor(scales, tiles.of(row, column));
        const std::uint8_t next = fp8Code(format, scaled);
        saturated += fp8Saturates(format, scaled) ? 1 : 0;
        flushed += (next & 0x7f) == 0 && value != 0 ? 1 : 0;
        return next;
    }
    /// All threads of a block call it.
    __device__ void count(Fp8Counts* counts) const {
        if (!counts) return;
        const int beyond = blockSum<elementThreads>(saturated), zeros = blockSum<elementThreads>(flushed);
        if (threadIdx.x > 0) return;
        if (beyond > 0) atomicAdd(&counts->saturated, beyond);
        if (zeros > 0) atomicAdd(&counts->flushed, zeros);
    }
};

template <class T>
__global__ void __launch_bounds__(elementThreads)
    roundKernel(Rounding rounding, const T* x, std::uint8_t* codes, Fp8Counts* counts) {
    const int rows = rounding.tiles.rows, columns = rounding.tiles.columns;
    overElements<1>(static_cast<std::int64_t>(rows) * columns, [&](std::int64_t at, auto) {
        codes[at] = rounding.code(x, static_cast<int>(at / columns), static_cast<int>(at % columns));
    });
    rounding.count(counts);
}

constexpr int turnedSide = 64;  ///< of the squares in which codes are turned; their rows are a segment of memory
constexpr int turnedRows = elementThreads / turnedSide;  ///< of a square, that a block takes at a time

template <class T>
__global__ void __launch_bounds__(elementThreads)
    roundTurnedKernel(Rounding rounding, const T* x, std::uint8_t* codes, Fp8Counts* counts) {
    __shared__ std::uint8_t square[turnedSide][turnedSide + 4];  // a column's codes lie in banks of their own
    const int rows = rounding.tiles.rows, columns = rounding.tiles.columns;
    const int own = static_cast<int>(threadIdx.x) % turnedSide, first = static_cast<int>(threadIdx.x) / turnedSide;
    const int down = static_cast<int>(blockIdx.x) * turnedSide, right = static_cast<int>(blockIdx.y) * turnedSide;
    for (int i = first; i < turnedSide; i += turnedRows)
        if (down + i < rows && right + own < columns) square[i][own] = rounding.code(x, down + i, right + own);
    __syncthreads();
    for (int i = first; i < turnedSide; i += turnedRows)
        if (down + own < rows && right + i < columns)
            codes[static_cast<std::int64_t>(right + i) * rows + down + own] = square[own][i];
    rounding.count(counts);
}

/// The scales of a product's factor in the order in which cuBLASLt reads them, as factors of what codes stand for.
struct OrderedScales {
    ConstArray from;
    void* to = nullptr;
    CodeScales scales;
    int across, along;                   ///< tiles across the sum, and along it
    std::int64_t stepAcross, stepAlong;  ///< between neighbours, in `from`
    std::int64_t paddedAcross, paddedAlong;

    OrderedScales(const Fp8Matrix& matrix, bool sumsDownRows, CodeScales kind) : from(matrix.scales), scales(kind) {
        const int down = matrix.tiles.down(matrix.rows), beside = matrix.tiles.across(matrix.columns);
        across = sumsDownRows ? beside : down;
        along = sumsDownRows ? down : beside;
        stepAcross = sumsDownRows ? 1 : beside;
        stepAlong = sumsDownRows ? beside : 1;
        const bool hardware = kind == CodeScales::ShortRuns;
        paddedAcross = hardware ? ceilDiv(across, 128) * 128 : across;
        paddedAlong = hardware || kind == CodeScales::Squares ? ceilDiv(along, 4) * 4 : along;
    }
    SHARDLAB_EVERYWHERE std::int64_t count() const { return paddedAcross * paddedAlong; }
    std::size_t bytes() const { return static_cast<std::size_t>(count()) * sizeOf(from.type); }

    __device__ void write(std::int64_t at) const {
        const std::int64_t i = at / paddedAlong, l = at % paddedAlong, tile = i * stepAcross + l * stepAlong;
        const bool padding = i >= across || l >= along;
        if (scales == CodeScales::ShortRuns) {  // blocks of 128 × 4 as the tensor cores load them
            const std::int64_t block = i / 128 * (paddedAlong / 4) + l / 4,
                               within = i % 32 * 16 + i % 128 / 32 * 4 + l % 4;
            static_cast<std::uint8_t*>(to)[block * 512 + within] =
                padding ? std::uint8_t{0} : static_cast<const std::uint8_t*>(from.data)[tile];
        } else {
            const std::int64_t place = scales == CodeScales::Squares ? at : l * across + i;
            static_cast<float*>(to)[place] = padding ? 0.0f : fp8Share(from, tile);
        }
    }
};

__global__ void orderScalesKernel(OrderedScales a, OrderedScales b) {
    const auto order = [](const OrderedScales& scales) {
        overElements<1>(scales.count(), [&](std::int64_t at, auto) { scales.write(at); });
    };
    if (blockIdx.y == 0) order(a);
    else order(b);
}

/// A factor of a product, as a kernel takes it.
struct Factor {
    TilesOf tiles;
    const std::uint8_t* codes;
    ConstArray scales;
    Fp8Format format;
    bool transpose, turned;

    Factor(const Fp8Matrix& matrix, bool transposed)
        : tiles(matrix.rows, matrix.columns, matrix.tiles), codes(matrix.codes), scales(matrix.scales),
          format(matrix.format), transpose(transposed), turned(matrix.turned) {}
    /// An element of op(matrix); 0 beyond its ends.
    __device__ float at(int row, int column) const {
        const int r = transpose ? column : row, c = transpose ? row : column;
        if (r >= tiles.rows || c >= tiles.columns) return 0;
        const std::int64_t at =
            turned ? static_cast<std::int64_t>(c) * tiles.rows + r : static_cast<std::int64_t>(r) * tiles.columns + c;
        return ofFp8Code(format, codes[at]) * fp8Share(scales, tiles.of(r, c));
    }
};

constexpr int side = 16;

template <class C>
__global__ void __launch_bounds__(side* side) gemmFp8Kernel(int m, int n, int k, Factor a, Factor b, float beta, C* c) {
    __shared__ float left[side][side + 1], right[side][side + 1];
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
    const int row = static_cast<int>(blockIdx.y) * side + y, column = static_cast<int>(blockIdx.x) * side + x;
    float sum = 0;
    for (int first = 0; first < k; first += side) {
        left[y][x] = a.at(row, first + x);
        right[y][x] = b.at(first + y, column);
        __syncthreads();
        for (int i = 0; i < side; ++i) sum += left[y][i] * right[i][x];
        __syncthreads();
    }
    if (row >= m || column >= n) return;
    C& to = c[static_cast<std::int64_t>(row) * n + column];
    to = fromFloat<C>(beta == 0 ? sum : sum + toFloat(to));
}

}  // namespace

void CudaDevice::fp8Largest(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, bool more, float* largest) {
    const TilesOf of(rows, columns, tiles);
    const std::int64_t count = tiles.count(rows, columns);
    if (!more) clear(largest, static_cast<std::size_t>(count) * sizeof(float));
    const std::int64_t chunks = ceilDiv(static_cast<std::int64_t>(of.high) * of.wide, chunkNumbers);
    withType(x.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("fp8Largest", largestKernel<T>, dim3(static_cast<unsigned>(count), static_cast<unsigned>(chunks)),
               tileThreads8, *queue_, of, as<T>(x), reinterpret_cast<unsigned*>(largest));
    });
}

void CudaDevice::fp8Scales(std::int64_t count, Fp8Format format, bool powers, const float* largest, Array scales) {
    launch("fp8Scales", scalesKernel, elementBlocks(count, 1), elementThreads, *queue_, count, format, powers, largest,
           scales);
}

void CudaDevice::fp8Round(int rows, int columns, ConstArray x, const Fp8Tiles& tiles, Fp8Format format,
                          ConstArray scales, bool turned, std::uint8_t* codes, Fp8Counts* counts) {
    const Rounding rounding{TilesOf(rows, columns, tiles), format, scales};
    const dim3 squares(static_cast<unsigned>(ceilDiv(rows, turnedSide)),
                       static_cast<unsigned>(ceilDiv(columns, turnedSide)));
    withType(x.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        if (turned)
            return launch("fp8RoundTurned", roundTurnedKernel<T>, squares, elementThreads, *queue_, rounding, as<T>(x),
                          codes, counts);
        launch("fp8Round", roundKernel<T>, elementBlocks(std::int64_t{rows} * columns, 4), elementThreads, *queue_,
               rounding, as<T>(x), codes, counts);
    });
}

void CudaDevice::gemmFp8(int m, int n, int k, const Fp8Matrix& a, bool transposeA, const Fp8Matrix& b, bool transposeB,
                         float beta, Array c) {
    if (m == 0 || n == 0) return;
    const Fp8Way way =
        fp8WayOf(properties_.major * 10 + properties_.minor, m, n, k, a, transposeA, b, transposeB, beta, c);
    if (!way.lack) {
        OrderedScales scalesA(a, transposeA, way.shape.codesA.scales), scalesB(b, !transposeB, way.shape.codesB.scales);
        const std::size_t ofA =
            static_cast<std::size_t>(ceilDiv(static_cast<std::int64_t>(scalesA.bytes()), 256)) * 256;
        auto* const room = scratch<std::byte>(ofA + scalesB.bytes());
        scalesA.to = room;
        scalesB.to = room + ofA;
        const dim3 blocks(elementBlocks(std::max(scalesA.count(), scalesB.count()), 1), 2);
        launch("orderScales", orderScalesKernel, blocks, elementThreads, *queue_, scalesA, scalesB);
        GemmOperands operands{a.codes, b.codes, c.data};
        operands.scalesA = scalesA.to;
        operands.scalesB = scalesB.to;
        if (plans_->multiply(way.shape, operands, *queue_)) return;
    }
    const char* const lack = way.lack ? way.lack : "cuBLASLt does not know it";
    if (says(lack))
        std::fprintf(
            stderr,
            "shardlab: a slow kernel computes the product of %d x %d and %d x %d numbers of 8 bits, and others "
            "like it: %s\n",
            m, k, k, n, lack);
    const dim3 blocks(static_cast<unsigned>(ceilDiv(n, side)), static_cast<unsigned>(ceilDiv(m, side)));
    withType(c.type, [&](auto t) {
        using C = typename decltype(t)::Type;
        launch("gemmFp8", gemmFp8Kernel<C>, blocks, dim3(side, side), *queue_, m, n, k, Factor(a, transposeA),
               Factor(b, transposeB), beta, as<C>(c));
    });
}

}  // namespace shardlab::kernels::cuda
