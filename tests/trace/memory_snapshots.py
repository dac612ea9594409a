# SPDX-License-Identifier: Apache-2.0
"""Writes memory snapshots as torch.cuda.memory._dump_snapshot() does: memory_snapshots.py FOLDER < description. The
description is JSON, a list of {"file", "protocol", "device", "segments": [[address, size, [[size, state, stack]]]],
"entries": [[action, address, size, microseconds or null, stack]]}; a stack is one of STACKS, whose frames are the same
objects wherever they stand, as PyTorch's are. "evil" makes a pickle that would create that folder when Python loads it.
A file that ends with .gz is packed."""
import gzip
import json
import os
import pickle
import sys


def frame(filename, line, name):
    return {"filename": filename, "line": line, "name": name}


LIBRARY = "/env/lib/python3.11/site-packages/torch/"
CALL = frame(LIBRARY + "nn/modules/module.py", 1784, "_call_impl")
SCRIPT = frame("/home/me/train.py", 12, "<module>")
LINEAR = frame(LIBRARY + "nn/modules/linear.py", 134, "forward")
BACKWARD = frame(LIBRARY + "autograd/graph.py", 841, "_engine_run_backward")
STACKS = {
    "none": [],
    "script": [SCRIPT],
    "module": [frame(LIBRARY + "nn/modules/module.py", 927, "convert"),
               frame(LIBRARY + "nn/modules/module.py", 900, "_apply"), SCRIPT],
    "forward": [frame(LIBRARY + "nn/functional.py", 90, "linear"), LINEAR, CALL, SCRIPT],
    "recomputed": [LINEAR, CALL, BACKWARD, SCRIPT],
    "backward": [BACKWARD, SCRIPT],
    "engine": [frame("??", 0, "at::native::empty_cuda"),
               frame("??", 0, "torch::autograd::Engine::evaluate_function(std::shared_ptr<torch::autograd::GraphTask>&)")],
    "optimizer": [frame(LIBRARY + "optim/adamw.py", 40, "_init_group"), frame(LIBRARY + "optim/adamw.py", 80, "step"), SCRIPT],
    "exchange": [frame(LIBRARY + "distributed/fsdp/_fully_shard/_fsdp_collectives.py", 150, "foreach_all_gather"), CALL, SCRIPT],
}


class Evil:
    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.mkdir, (self.file,)


def segment(device, address, size, blocks):
    made, at = [], address
    for held, state, stack in blocks:
        made.append({"address": at, "size": held, "requested_size": held, "state": state, "frames": STACKS[stack]})
        at += held
    active = sum(block["size"] for block in made if block["state"] != "inactive")
    return {"device": device, "address": address, "total_size": size, "allocated_size": active, "active_size": active,
            "requested_size": active, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
            "is_expandable": False, "frames": [], "blocks": made}


def entry(action, address, size, time, stack):
    made = {"action": action, "addr": address, "size": size, "stream": 0, "frames": STACKS[stack],
            "compile_context": "N/A", "user_metadata": ""}
    if time is not None:
        made["time_us"] = time
    return made


for each in json.load(sys.stdin):
    name = os.path.join(sys.argv[1], each["file"])
    device = each.get("device", 0)
    snapshot = {"segments": [segment(device, *told) for told in each.get("segments", [])],
                "device_traces": [[] for _ in range(device)] + [[entry(*told) for told in each.get("entries", [])]],
                "allocator_settings": {"expandable_segments": False, "roundup_power2_divisions": {"1": 0}},
                "external_annotations": []}
    if "evil" in each:
        snapshot["device_traces"].append(Evil(each["evil"]))
    with (gzip.open if name.endswith(".gz") else open)(name, "wb") as file:
        pickle.dump(snapshot, file, protocol=each.get("protocol", pickle.DEFAULT_PROTOCOL))
