// SPDX-License-Identifier: Apache-2.0
// Magnitudes are compared as the bits of non-negative fp32, which are ordered as the numbers are, with not-a-number
// above all. Products are made of square tiles of codes in shared memory.
#include "kernels/fp8.h"

#include "kernels/cuda/cuda_device.cuh"
#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/reduce.cuh"
#include "kernels/fp8_code.h"

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

template <class T>
__global__ void __launch_bounds__(elementThreads)
    roundKernel(TilesOf tiles, const T* x, Fp8Format format, ConstArray scales, std::uint8_t* codes,
                Fp8Counts* counts) {
    int saturated = 0, flushed = 0;
    overElements<1>(static_cast<std::int64_t>(tiles.rows) * tiles.columns, [&](std::int64_t at, auto) {
        const int row = static_cast<int>(at / tiles.columns), column = static_cast<int>(at % tiles.columns);
        const float value = toFloat(x[at]), scaled = value * fp8Factor(scales, tiles.of(row, column));
        const std::uint8_t code = fp8Code(format, scaled);
        codes[at] = code;
        saturated += fp8Saturates(format, scaled) ? 1 : 0;
        flushed += (code & 0x7f) == 0 && value != 0 ? 1 : 0;
    });
    if (!counts) return;
    saturated = blockSum<elementThreads>(saturated);
    flushed = blockSum<elementThreads>(flushed);
    if (threadIdx.x > 0) return;
    if (saturated > 0) atomicAdd(&counts->saturated, saturated);
    if (flushed > 0) atomicAdd(&counts->flushed, flushed);
}

/// A factor of a product, as a kernel takes it.
struct Factor {
    TilesOf tiles;
    const std::uint8_t* codes;
    ConstArray scales;
    Fp8Format format;
    bool transpose;

    Factor(const Fp8Matrix& matrix, bool transposed)
        : tiles(matrix.rows, matrix.columns, matrix.tiles), codes(matrix.codes), scales(matrix.scales),
          format(matrix.format), transpose(transposed) {}
    /// An element of op(matrix); 0 beyond its ends.
    __device__ float at(int row, int column) const {
        const int r = transpose ? column : row, c = transpose ? row : column;
        if (r >= tiles.rows || c >= tiles.columns) return 0;
        return ofFp8Code(format, codes[static_cast<std::int64_t>(r) * tiles.columns + c]) *
               fp8Share(scales, tiles.of(r, c));
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
                          ConstArray scales, std::uint8_t* codes, Fp8Counts* counts) {
    const std::int64_t numbers = std::int64_t{rows} * columns;
    withType(x.type, [&](auto t) {
        using T = typename decltype(t)::Type;
        launch("fp8Round", roundKernel<T>, elementBlocks(numbers, 4), elementThreads, *queue_,
               TilesOf(rows, columns, tiles), as<T>(x), format, scales, codes, counts);
    });
}

void CudaDevice::gemmFp8(int m, int n, int k, const Fp8Matrix& a, bool transposeA, const Fp8Matrix& b, bool transposeB,
                         float beta, Array c) {
    const dim3 blocks(static_cast<unsigned>(ceilDiv(n, side)), static_cast<unsigned>(ceilDiv(m, side)));
    withType(c.type, [&](auto t) {
        using C = typename decltype(t)::Type;
        launch("gemmFp8", gemmFp8Kernel<C>, blocks, dim3(side, side), *queue_, m, n, k, Factor(a, transposeA),
               Factor(b, transposeB), beta, as<C>(c));
    });
}

}  // namespace shardlab::kernels::cuda
