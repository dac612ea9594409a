# SPDX-License-Identifier: Apache-2.0
"""Writes flight recorder dumps as PyTorch does: flight_dumps.py FOLDER < description. The description is JSON, a list
of {"file", "protocol" (0: JSON), "version", "groups": {name: [description, ranks]}, "calls": [[group, operation,
number, state, place]]}; an operation with an arrow is a message. "evil" in place of "calls" makes a pickle that
would create that folder when Python loads it."""
import json
import os
import pickle
import sys


class Evil:
    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return os.mkdir, (self.file,)


def entry(record, groups, group, operation, number, state, place):
    message = "->" in operation or "<-" in operation
    file, line, name = place
    return {
        "frames": [{"name": "all_reduce", "filename": "/lib/torch/distributed/distributed_c10d.py", "line": 4174},
                   {"name": name, "filename": "/home/me/" + file, "line": line}],
        "record_id": record, "pg_id": int(group), "process_group": (group, groups[group][0]),
        "collective_seq_id": 0 if message else number, "p2p_seq_id": number if message else 0, "op_id": record,
        "profiling_name": "nccl:" + operation, "time_created_ns": 1795636846237446434 + record,
        "input_sizes": [[4, 8]], "input_dtypes": ["Float"], "output_sizes": [[4, 8]], "output_dtypes": ["Float"],
        "state": state, "time_discovered_started_ns": None, "time_discovered_completed_ns": None,
        "retired": state == "completed", "timeout_ms": 600000, "is_p2p": message}


for each in json.load(sys.stdin):
    name = os.path.join(sys.argv[1], each["file"])
    groups = each.get("groups", {})
    dump = {"version": each.get("version", "2.10"), "pg_status": {}, "comm_lib_version": "2.29.3",
            "pg_config": {group: {"name": group, "desc": told[0], "ranks": str(told[1])}
                          for group, told in groups.items()}}
    if "evil" in each:
        dump["entries"] = [Evil(each["evil"])]
    else:
        dump["entries"] = [entry(record, groups, *call) for record, call in enumerate(each["calls"])]
    if each["protocol"] == 0:
        with open(name, "w") as file:
            json.dump(dump, file, sort_keys=True)
    else:
        with open(name, "wb") as file:
            pickle.dump(dump, file, protocol=each["protocol"])
