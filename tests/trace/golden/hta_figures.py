# SPDX-License-Identifier: Apache-2.0
"""What HolisticTraceAnalysis says of traces of torch.profiler: hta_figures.py FILE… prints a JSON list of a rank each, in
microseconds: "idle", "compute", "rest" (only communication or copies) and "overlap" (% of the communication). It ends with
3 where the Python has a pandas that HolisticTraceAnalysis cannot use."""
import contextlib
import json
import logging
import sys
import warnings

import pandas
from hta.trace_analysis import TraceAnalysis

if int(pandas.__version__.split(".")[0]) >= 3:
    sys.exit(3)
logging.disable(logging.CRITICAL)
warnings.filterwarnings("ignore")
with contextlib.redirect_stdout(sys.stderr):
    analysis = TraceAnalysis(trace_files=dict(enumerate(sys.argv[1:])), trace_dir="/")
    times = analysis.get_temporal_breakdown(visualize=False)
    overlaps = analysis.get_comm_comp_overlap(visualize=False)
print(json.dumps([{"idle": float(row["idle_time(us)"]), "compute": float(row["compute_time(us)"]),
                   "rest": float(row["non_compute_time(us)"]),
                   "overlap": float(overlaps.loc[overlaps["rank"] == row["rank"], "comp_comm_overlap_pctg"].iloc[0])}
                  for _, row in times.sort_values("rank").iterrows()]))
