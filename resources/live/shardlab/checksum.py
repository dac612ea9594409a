# SPDX-License-Identifier: Apache-2.0
"""CRC-32C of frames, without a compiled part.

A CRC is linear over GF(2): that of a long text is that of its second half, XORed with its first half times x^(8 n) modulo
the polynomial. So a text is folded onto itself: the first half is multiplied by that constant, all its words at once with
bytes.translate, and added to the second. What is left, a few hundred bytes, is taken byte by byte. The interpreter is
thereby held for a fraction of the time that a loop over all bytes takes.

Where the program has loaded numpy, as PyTorch does, what each byte adds at its place in a block is looked up at once.
"""
import sys

POLYNOMIAL = 0x82F63B78
FOLD_FROM = 512  # bytes; below it a plain loop is quicker
BLOCK = 1024     # bytes that are looked up at once

TABLE = []
for _byte in range(256):
    for _ in range(8):
        _byte = _byte >> 1 ^ (POLYNOMIAL if _byte & 1 else 0)
    TABLE.append(_byte)


def _plain(data, crc):
    table = TABLE
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def _times(a, b):
    """The product of two polynomials in the reflected order: bit 31 is x^0."""
    product = 0
    for bit in range(32):
        if a & (0x80000000 >> bit):
            product ^= b
        b = b >> 1 ^ (POLYNOMIAL if b & 1 else 0)
    return product


def _power(bits):
    """x^bits modulo the polynomial."""
    result, square = 0x80000000, 0x40000000
    while bits:
        if bits & 1:
            result = _times(result, square)
        square = _times(square, square)
        bits >>= 1
    return result


_folds = {}


def _fold(size):
    """16 tables: what byte i of a word adds to byte j of the word that lies `size` bytes further on."""
    if size not in _folds:
        factor = _power(8 * size)
        tables = []
        for i in range(4):
            products = [_times(byte << 8 * i, factor) for byte in range(256)]
            tables.append([bytes(product >> 8 * j & 255 for product in products) for j in range(4)])
        _folds[size] = tables
    return _folds[size]


_places = None  # what byte b at place p of a block adds, and the same of the first four places as lists


def _looked_up(numpy, data):
    global _places
    if _places is None:
        table = numpy.array(TABLE, numpy.uint32)
        adds = numpy.empty((BLOCK, 256), numpy.uint32)
        adds[-1] = table
        for place in range(BLOCK - 2, -1, -1):
            adds[place] = table[adds[place + 1] & 255] ^ adds[place + 1] >> 8
        _places = numpy.arange(BLOCK), adds, adds[:4].tolist()
    columns, adds, first = _places
    data = bytes(a ^ 255 for a in data[:4]) + data[4:]
    rows = numpy.frombuffer(bytes(-len(data) % BLOCK) + data, numpy.uint8).reshape(-1, BLOCK)
    crc = 0
    for part in numpy.bitwise_xor.reduce(adds[columns, rows], axis=1).tolist():
        crc = part ^ first[0][crc & 255] ^ first[1][crc >> 8 & 255] ^ first[2][crc >> 16 & 255] ^ first[3][crc >> 24]
    return crc ^ 0xFFFFFFFF


def crc32c(data):
    """The checksum of bytes, as an unsigned number."""
    size, numpy = len(data), sys.modules.get("numpy")
    if numpy is not None and size >= FOLD_FROM // 4:
        try:
            return _looked_up(numpy, data)
        except Exception:  # a numpy that is only being loaded
            pass
    if size < FOLD_FROM:
        return _plain(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
    # The start value goes onto the first four bytes; zeros before the text then change nothing.
    data = bytes(a ^ 255 for a in data[:4]) + data[4:]
    half = 1 << (size - 1).bit_length() - 1
    data = bytes(2 * half - size) + data
    while half >= FOLD_FROM // 4:
        tables, first = _fold(half), data[:half]
        words, columns = bytearray(half), [first[i::4] for i in range(4)]
        for j in range(4):
            part = 0
            for i, column in enumerate(columns):
                part ^= int.from_bytes(column.translate(tables[i][j]), "little")
            words[j::4] = part.to_bytes(half // 4, "little")
        data = (int.from_bytes(data[half:], "little") ^ int.from_bytes(words, "little")).to_bytes(half, "little")
        half //= 2
    return _plain(data, 0) ^ 0xFFFFFFFF
