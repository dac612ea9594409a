// SPDX-License-Identifier: Apache-2.0
// Safetensors: a header alone, and whole files, read as weights.
#include "engine/trace/checkpoint/safetensors.h"
#include "engine/trace/checkpoint/state_source.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/wings.h"

using namespace shardlab::test;
using namespace shardlab::fuzz;

namespace {

bool equal(const TensorEntry& a, const TensorEntry& b) {
    return a.name == b.name && a.type == b.type && a.shape == b.shape && a.begin == b.begin && a.end == b.end;
}

/// `text` with the tensors' size that makes it legal, if any does.
void header(std::string_view text, std::uint64_t dataBytes) {
    const Result<SafetensorsHeader> read = parseHeader(text, dataBytes);
    if (!read) return requireClear(read.error());
    require(read->dataBytes() == dataBytes, "the tensors fill the file");
    const std::string written = writeHeader(*read);
    require(written.size() % 8 == 0, "tensors begin at a multiple of 8 bytes");
    const Result<SafetensorsHeader> again = parseHeader(std::string_view(written).substr(8), dataBytes);
    require(again && again->metadata == read->metadata && std::ranges::equal(again->tensors, read->tensors, equal),
            "a header comes back as it was written");
    for (const TensorEntry& tensor : read->tensors)
        require(tensor.elements() * static_cast<std::uint64_t>(bytesOf(tensor.type)) == tensor.bytes(),
                "a tensor is of whole elements");
}

void file(std::string_view content) {
    DiskFileSystem disk;
    const std::filesystem::path path = scratchFile("model.safetensors", content);
    const Result<SafetensorsFile> opened = SafetensorsFile::open(disk, path);
    if (!opened) return requireClear(opened.error());
    require(opened->fileBytes() == content.size(), "the header accounts for each byte");
    for (const TensorEntry& tensor : opened->header().tensors) {
        const Result<std::vector<float>> values = opened->readFloats(tensor);
        if (values) require(values->size() == tensor.elements(), "all elements are read");
        else requireClear(values.error());
    }
    if (const auto ofModel = StateSource::ofWeights(disk, path, ModelSpec{}); !ofModel) requireClear(ofModel.error());
    const Result<StateSource> weights = StateSource::ofTensors(disk, path);
    if (!weights) return requireClear(weights.error());
    for (const StateSource::Whole& whole : weights->wholes()) {
        const Slice all{whole.shape};
        if (wholeElements(all) > 1 << 20) continue;
        std::vector<float> values(static_cast<std::size_t>(wholeElements(all)));
        if (const Status done = weights->fill(whole.name, whole.kind, all, 0, values); !done)
            requireClear(done.error());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Input input(data, size);
    switch (input.number<std::uint8_t>() % 3) {
    case 0: {
        const auto dataBytes = input.number<std::uint64_t>();
        header(input.rest(), dataBytes);
        break;
    }
    case 1: file(input.rest()); break;
    default: {  // the length before the header is right
        const std::uint64_t length = input.below(4096);
        const std::string_view text = input.rest();
        std::string content(sizeof length, '\0');
        std::memcpy(content.data(), &length, sizeof length);
        file(content += text);
    }
    }
    return 0;
}
