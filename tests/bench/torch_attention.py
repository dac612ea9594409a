# SPDX-License-Identifier: Apache-2.0
"""PyTorch's attention at the shapes of gpu_attention.cu: python3 torch_attention.py"""
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel


def median(work):
    times = []
    for i in range(24):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times[3:])[10]


for b, h, s, d in [(32, 12, 1024, 64), (8, 16, 4096, 128), (4, 12, 8192, 64), (4, 12, 1024, 64)]:
    qkv = torch.randn(b, s, 3, h, d, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    q, k, v = (x.transpose(1, 2) for x in qkv.unbind(2))
    gradient = torch.randn(b, s, h, d, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
    for name in ["FLASH_ATTENTION", "CUDNN_ATTENTION"]:
        with sdpa_kernel(getattr(SDPBackend, name)):
            attend = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            try:
                forward = median(attend)
                out = attend()
                backward = median(lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True))
            except RuntimeError as error:
                print(name, "cannot:", str(error).splitlines()[0])
                continue
        flops = 2 * b * h * s * s * d
        print(f"torch {torch.__version__} {name} b {b} h {h} s {s} d {d}: forward {forward:.3f} ms "
              f"{flops / forward * 1e-9:.0f} TFLOP/s, backward {backward:.3f} ms {2.5 * flops / backward * 1e-9:.0f} TFLOP/s")
