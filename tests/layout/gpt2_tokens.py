#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reference for the gpt2 tokenizer: Hugging Face's tokenizers, on a vocabulary trained here.

gpt2_tokens.py DIRECTORY SEED writes there vocab.json and merges.txt, and cases.json: a list of {"text", "tokens"}.
"""
import json
import pathlib
import random
import sys
import unicodedata

from tokenizers import ByteLevelBPETokenizer

folder, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)
words = "the they'll don't we've I'm it's a  tab\t new\n\nline 1234 3.14 x=y+2; naïve Straße Ünï 東京 привет ١٢٣ Ⅷ ½ é 👩‍🚀 … “ok” \u00a0 \u2003 \r\n".split(" ")
text = " ".join(draw.choice(words) for _ in range(4000))
# Characters of every category that both sides' versions of Unicode know: assigned long ago.
old = [chr(c) for c in range(0x20, 0x2FA1D) if unicodedata.ucd_3_2_0.category(chr(c)) not in ("Cn", "Cs", "Co")]
blanks = [" ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u2003", "\u3000", "\u0085", "\u2028", "\x0b", "\x0c", "\u180e", "\u200b", "\x1c"]


def sample():
    parts = []
    for _ in range(draw.randrange(1, 30)):
        kind = draw.random()
        if kind < 0.45:
            parts.append(draw.choice(words))
        elif kind < 0.7:
            parts.append("".join(draw.choice(old) for _ in range(draw.randrange(1, 6))))
        elif kind < 0.95:
            parts.append(draw.choice(blanks))
        else:
            parts.append(draw.choice(["<|endoftext|>", "'s", "'LL", "' s", "''ll", "aaaaaaaaaaaaaaaaaaaaa"]))
    return draw.choice(["", " "]).join(parts)


(folder / "train.txt").write_text(text + "".join(sample() for _ in range(200)))
tokenizer = ByteLevelBPETokenizer()
tokenizer.train([str(folder / "train.txt")], vocab_size=700, min_frequency=2, special_tokens=["<|endoftext|>"], show_progress=False)
tokenizer.save_model(str(folder))
texts = [sample() for _ in range(2000)] + ["", " ", "\n", "a", "'", " 's", "a" * 5000, text[:20000]]
cases = [{"text": each, "tokens": tokenizer.encode(each).ids} for each in texts]
(folder / "cases.json").write_text(json.dumps(cases))
