// SPDX-License-Identifier: Apache-2.0
// What the compiler made of each CUDA kernel for sm_90: registers, bytes of its stack (where what does not fit in
// registers is spilled), shared memory and code. They are read from the library itself, so that a change for the worse
// shows on a machine without a GPU and without CUDA's tools.
#include "tests/support/golden.h"
#include "tests/support/wings.h"

#include <QtTest>

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace shardlab::test;

namespace {

constexpr int architecture = 90;
/// The names of nvcc and cuobjdump for what .nv.info holds.
constexpr unsigned char indexedValue = 0x04, frameSize = 0x11, registerCount = 0x2f;

template <class T>
T at(std::string_view bytes, std::size_t place) {
    T value{};
    if (place + sizeof value <= bytes.size()) std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
}

/// Device code of one architecture, of all files of a library, as nvcc packs it (fatbinary): each file's pack begins
/// with a word of its own, then come entries with a header each, of which kind 2 is an ELF file.
std::vector<std::string_view> cubinsOf(std::string_view library) {
    constexpr std::string_view magic = "\x50\xed\x55\xba";
    std::vector<std::string_view> found;
    for (std::size_t pack = library.find(magic); pack != library.npos; pack = library.find(magic, pack + 4)) {
        std::size_t entry = pack + at<std::uint16_t>(library, pack + 6);
        const std::size_t end = entry + at<std::uint64_t>(library, pack + 8);
        if (at<std::uint16_t>(library, pack + 4) != 1 || end > library.size()) continue;
        while (entry < end) {
            const std::size_t header = at<std::uint32_t>(library, entry + 4),
                              size = at<std::uint64_t>(library, entry + 8);
            if (header == 0) break;
            if (at<std::uint16_t>(library, entry) == 2 && at<std::uint32_t>(library, entry + 28) == architecture)
                found.push_back(library.substr(entry + header, size));
            entry += header + size;
        }
    }
    return found;
}

/// The kernel's name without namespaces and parameters: "layerNormKernel<256, 8, __nv_bfloat16>".
std::string shortName(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    std::string name = status == 0 ? text.get() : symbol;
    if (name.starts_with("void ")) name = name.substr(5);
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    if (const auto place = name.find(unnamed); place != name.npos) name = name.substr(place + unnamed.size());
    name.resize(std::min(name.size(), name.find_first_of("<(")));
    return name.substr(name.rfind(':') + 1);
}

/// Instances of one template, all together.
struct Figures {
    int instances = 0;
    unsigned mostRegisters = 0, registers = 0, stack = 0;
    std::uint64_t mostShared = 0, code = 0;
};

void read(std::string_view cubin, std::map<std::string, Figures>& kernels) {
    const auto header = at<Elf64_Ehdr>(cubin, 0);
    std::vector<Elf64_Shdr> sections;
    for (std::size_t i = 0; i < header.e_shnum; ++i)
        sections.push_back(at<Elf64_Shdr>(cubin, header.e_shoff + i * header.e_shentsize));
    const auto textAt = [&](const Elf64_Shdr& strings, std::size_t offset) {
        const std::string_view all = cubin.substr(strings.sh_offset, strings.sh_size);
        return std::string(all.substr(offset, all.find('\0', offset) - offset));
    };
    const auto symbols = std::ranges::find(sections, Elf64_Word{SHT_SYMTAB}, &Elf64_Shdr::sh_type);
    if (header.e_shstrndx >= sections.size() || symbols == sections.end()) return;
    const auto symbolName = [&](std::uint32_t index) {
        const auto symbol = at<Elf64_Sym>(cubin, symbols->sh_offset + index * sizeof(Elf64_Sym));
        return textAt(sections.at(symbols->sh_link), symbol.st_name);
    };
    for (const Elf64_Shdr& section : sections) {
        const std::string name = textAt(sections[header.e_shstrndx], section.sh_name);
        constexpr std::string_view text = ".text.", shared = ".nv.shared.";
        if (name.starts_with(text)) {
            Figures& figures = kernels[shortName(name.substr(text.size()))];
            ++figures.instances;
            figures.code += section.sh_size;
        } else if (name.starts_with(shared) && !name.starts_with(".nv.shared.reserved")) {
            Figures& figures = kernels[shortName(name.substr(shared.size()))];
            figures.mostShared = std::max<std::uint64_t>(figures.mostShared, section.sh_size);
        } else if (name == ".nv.info") {
            // Records of format, attribute and either a small value or the size of a value that follows.
            for (std::size_t place = section.sh_offset; place < section.sh_offset + section.sh_size;) {
                const auto format = at<unsigned char>(cubin, place), attribute = at<unsigned char>(cubin, place + 1);
                const auto size = at<std::uint16_t>(cubin, place + 2);
                const auto index = at<std::uint32_t>(cubin, place + 4), value = at<std::uint32_t>(cubin, place + 8);
                place += 4 + (format == indexedValue ? size : 0);
                if (format != indexedValue || (attribute != frameSize && attribute != registerCount)) continue;
                Figures& figures = kernels[shortName(symbolName(index))];
                if (attribute == frameSize) figures.stack += value;
                if (attribute == registerCount) figures.registers += value;
                if (attribute == registerCount) figures.mostRegisters = std::max(figures.mostRegisters, value);
            }
        }
    }
}

}  // namespace

class KernelResourcesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void asBefore() {
        QFile library(QStringLiteral(SHARDLAB_BIN_DIR "/libshardlab_cuda.so"));
        QVERIFY2(library.open(QIODevice::ReadOnly), qPrintable(library.fileName()));
        const QByteArray content = library.readAll();
        std::map<std::string, Figures> kernels;
        for (const std::string_view cubin : cubinsOf({content.data(), static_cast<std::size_t>(content.size())}))
            read(cubin, kernels);
        if (kernels.empty()) QSKIP("the CUDA library was not built for sm_90");
        std::string text =
            fmt::format("{}, sm_{}\n{:<34} {:>9} {:>9} {:>13} {:>11} {:>11} {:>9}\n", SHARDLAB_NVCC, architecture,
                        "kernel", "instances", "registers", "of all", "stack of all", "most shared", "code KiB");
        for (const auto& [name, f] : kernels)
            if (f.registers > 0)
                text += fmt::format("{:<34} {:>9} {:>9} {:>13} {:>11} {:>11} {:>9}\n", name, f.instances,
                                    f.mostRegisters, f.registers, f.stack, f.mostShared, (f.code + 1023) / 1024);
        const QString golden = "gpu/golden/kernel_resources.txt";
        const std::string kept = readGolden(golden);
        const bool writes = qEnvironmentVariableIntValue("SHARDLAB_REGENERATE") == 1;
        if (!writes && !kept.starts_with(SHARDLAB_NVCC ",")) QSKIP("the figures are those of another nvcc");
        const QString difference = differenceFromGolden(golden, text);
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }
};

QTEST_GUILESS_MAIN(KernelResourcesTest)
#include "kernel_resources_test.moc"
