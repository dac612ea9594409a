#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference for tokenizer.json: a byte-level BPE trained here, saved and applied by transformers.

json_tokens.py DIRECTORY SEED KIND writes there tokenizer.json and tokenizer_config.json, and cases.json: a list of
{"text", "tokens"}. KIND chooses how texts are cut into words.
"""
import json
import pathlib
import random
import sys
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

folder, seed, kind = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
draw = random.Random(seed)
SHORT = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
EXPRESSIONS = {
    "llama3": [SHORT + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|" + REST],
    "qwen2": [SHORT + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|" + REST],
    "deepseek": [r"\p{N}{1,3}", r"[一-龥぀-ゟ゠-ヿ]+",
                 r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
                 r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"],
    "o200k": [r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
              r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
              r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"],
}
words = "the they'll DON'T we've I'm it's a  tab\t new\n\nline 1234 3.14 x=y+2; naïve nai\u0308ve Straße 東京 ひらがな привет ١٢٣ Ⅷ ½ é e\u0301 👩‍🚀 … “ok” \u00a0 \u2003 \r\n HTMLParser".split(" ")
# Characters of every category that both sides' versions of Unicode know: assigned long ago.
old = [chr(c) for c in range(0x20, 0x2FA1D) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs", "Co")]
blanks = [" ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u2003", "\u3000", "\u0085", "\u2028", "\x0b", "\x0c", "\u200b", "\x1c"]
added = ["<|end|>", "<|end|><", "<|im_start|>", "<think>"]


def sample():
    parts = []
    for _ in range(draw.randrange(1, 30)):
        sort = draw.random()
        if sort < 0.45:
            parts.append(draw.choice(words))
        elif sort < 0.7:
            parts.append("".join(draw.choice(old) for _ in range(draw.randrange(1, 6))))
        elif sort < 0.9:
            parts.append(draw.choice(blanks))
        else:
            parts.append(draw.choice(added + ["'s", "'LL", "' s", "''ll", "aaaaaaaaaaaaaaaaaaaaa"]))
    return draw.choice(["", " "]).join(parts)


made = Tokenizer(models.BPE(ignore_merges=kind == "llama3"))
if kind in ("qwen2", "deepseek"):
    made.normalizer = normalizers.NFC() if kind == "qwen2" else normalizers.Sequence([])
if kind == "gpt2":
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
else:
    cuts = [pre_tokenizers.Split(Regex(each), "isolated") for each in EXPRESSIONS[kind]]
    made.pre_tokenizer = pre_tokenizers.Sequence(cuts + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
made.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(vocab_size=900, min_frequency=2, show_progress=False,
                              initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
made.train_from_iterator([" ".join(draw.choice(words) for _ in range(4000))] + [sample() for _ in range(200)], trainer)
fast = PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<|end|>")
fast.add_tokens([AddedToken("<|end|><", normalized=False), AddedToken("<think>", normalized=kind == "gpt2")])
fast.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
fast.save_pretrained(folder)
texts = [sample() for _ in range(1000)] + ["", " ", "\n", "a", "'", " 's", "a" * 5000, " " * 3000]
cases = [{"text": each, "tokens": fast.encode(each, add_special_tokens=False)} for each in texts]
(folder / "cases.json").write_text(json.dumps(cases))
