// SPDX-License-Identifier: Apache-2.0
#include "engine/layout/fields/sections.h"

namespace shardlab::layout {

std::span<const Field> dataFields() {
    static constexpr Field table[] = {
        {
            .pointer = "/data/kind",
            .label = "Data",
            .help = "generator makes seeded samples by itself: text, or images for cnn. text is a UTF-8 file. jsonl is "
                    "a file with a JSON object a line, one field of which is a text. tokens are .bin files as nanoGPT "
                    "(16 bits), llm.c (16 bits, or 32 for Llama 3) and Megatron (with an .idx beside each) write them.",
            .access = member<&Layout::data, &DataSpec::kind>(),
            .planned = "images",
        },
        {
            .pointer = "/data/path",
            .label = "File",
            .help = "The file for data of kind text or jsonl; a .bin file or a folder of them for tokens. The path is "
                    "relative to the layout file.",
            .access = member<&Layout::data, &DataSpec::path>(),
            .empty = "none",
        },
        {
            .pointer = "/data/tokenizer",
            .label = "Tokenizer",
            .help = "How text becomes tokens. bytes makes each byte a token; gpt2 merges pairs of bytes as GPT-2 does; "
                    "tokenizer.json does as that file of Hugging Face says (byte-level BPE, as of Llama 3 and Qwen).",
            .access = member<&Layout::data, &DataSpec::tokenizer>(),
        },
        {
            .pointer = "/data/tokenizer_path",
            .label = "Tokenizer files",
            .help =
                "The folder with vocab.json and merges.txt for the tokenizer gpt2; for tokenizer.json that file, or "
                "its folder.",
            .access = member<&Layout::data, &DataSpec::tokenizerPath>(),
            .empty = "none",
        },
        {
            .pointer = "/data/last_batch",
            .label = "Last batch",
            .help = "What becomes of the last windows of an epoch where they do not fill a global batch. carry: the "
                    "first windows of the next epoch fill it up. pad: the first windows of the same epoch come a "
                    "second time. drop: they are left out.",
            .access = member<&Layout::data, &DataSpec::lastBatch>(),
        },
        {
            .pointer = "/data/text_field",
            .label = "Text field",
            .help = "The field of each line's object that is the text, for data of kind jsonl.",
            .access = member<&Layout::data, &DataSpec::textField>(),
        },
        {
            .pointer = "/data/documents",
            .label = "Documents",
            .help = "What becomes of the borders between documents, which are the lines of jsonl and the documents of "
                    "Megatron's index. joined: a sample may reach from one document into the next. apart: each sample "
                    "lies in one document, and what fills no sample at a document's end is left out.",
            .access = member<&Layout::data, &DataSpec::documents>(),
        },
        {
            .pointer = "/data/validation",
            .label = "Validation",
            .help = "Share of the text that is kept for validation.",
            .access = member<&Layout::data, &DataSpec::validation>(),
            .limits = {0, 0.5, "at least half of the text is for training"},
        },
    };
    return table;
}

}  // namespace shardlab::layout
