// SPDX-License-Identifier: Apache-2.0
// The layouts whose checkpoints go on as one another.
#pragma once

#include "tests/support/wings.h"

#include <functional>
#include <vector>

namespace shardlab::test {

struct Shape {
    const char* name;
    const char* schedule;
    int data, pipeline, chunks;
    std::vector<int> stages = {};
    std::function<void(Layout&)> change = {};
};

inline const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all{
        {"one rank", "naive", 1, 1, 1},
        {"data 4", "naive", 4, 1, 1},
        {"gpipe 4", "gpipe", 1, 4, 1},
        {"data 2, 1f1b 2", "1f1b", 2, 2, 1},
        {"interleaved 2 × 2", "interleaved-1f1b", 1, 2, 2},
        {"zb-v 2 × 2", "zb-v", 1, 2, 2},
        {"data 3, uneven", "1f1b", 3, 2, 1, {3, 1}},
        {"tensor 2", "naive", 1, 1, 1, {}, [](Layout& l) { l.parallel.tensor = 2; }},
        {"2 × 2 × tensor 2, sequence",
         "1f1b",
         2,
         2,
         1,
         {},
         [](Layout& l) {
             l.parallel.tensor = 2;
             l.parallel.sequence = true;
         }},
        {"data 2 × tensor 3 with unequal shares, ZeRO 1",
         "naive",
         2,
         1,
         1,
         {},
         [](Layout& l) {
             l.parallel.tensor = 3;
             l.parallel.zero = 1;
         }},
        {"data 3, ZeRO 1", "naive", 3, 1, 1, {}, [](Layout& l) { l.parallel.zero = 1; }},
        {"data 2, 1f1b 2, ZeRO 2", "1f1b", 2, 2, 1, {}, [](Layout& l) { l.parallel.zero = 2; }},
        {"data 2 × tensor 2, ZeRO 3",
         "naive",
         2,
         1,
         1,
         {},
         [](Layout& l) {
             l.parallel.tensor = 2;
             l.parallel.zero = 3;
         }},
        {"data 4, ZeRO 3", "naive", 4, 1, 1, {}, [](Layout& l) { l.parallel.zero = 3; }},
        {"fp16, its scale too large at first, 1f1b 2, dropout",
         "1f1b",
         2,
         2,
         1,
         {},
         [](Layout& l) {
             l.precision = {NumberFormat::Fp16,
                            WeightStorage::Master,
                            GradientFormat::Compute,
                            ProductFormat::Compute,
                            LossScaling::Dynamic,
                            16777216,
                            3};
             l.model.dropout = 0.1;
         }},
        {"data 3, ZeRO 3 by layers",
         "naive",
         3,
         1,
         1,
         {},
         [](Layout& l) {
             l.parallel.zero = 3;
             l.parallel.partition = PartitionKind::Layers;
         }},
        {"data 3 with a server", "1f1b", 3, 2, 1, {}, [](Layout& l) { l.parallel.exchange = Exchange::Server; }},
        {"data 2, 1f1b 2, optimizer on the host",
         "1f1b",
         2,
         2,
         1,
         {},
         [](Layout& l) { l.memory.offload = OffloadKind::Optimizer; }},
        {"fp16, its scale too large at first, data 3, ZeRO 2, optimizer on the host",
         "naive",
         3,
         1,
         1,
         {},
         [](Layout& l) {
             l.precision = {NumberFormat::Fp16,
                            WeightStorage::Master,
                            GradientFormat::Compute,
                            ProductFormat::Compute,
                            LossScaling::Dynamic,
                            16777216,
                            3};
             l.parallel.zero = 2;
             l.memory.offload = OffloadKind::Optimizer;
         }},
        {"bf16, data 3, ZeRO 3, parameters on the host",
         "naive",
         3,
         1,
         1,
         {},
         [](Layout& l) {
             l.precision.compute = NumberFormat::Bf16;
             l.parallel.zero = 3;
             l.memory.offload = OffloadKind::Parameters;
         }},
        {"1f1b 2, one replica, parameters on the host",
         "1f1b",
         1,
         2,
         1,
         {},
         [](Layout& l) {
             l.parallel.zero = 3;
             l.memory.offload = OffloadKind::Parameters;
         }},
        {"bf16, data 2, ZeRO 2",
         "naive",
         2,
         1,
         1,
         {},
         [](Layout& l) {
             l.precision.compute = NumberFormat::Bf16;
             l.parallel.zero = 2;
         }},
    };
    return all;
}

}  // namespace shardlab::test
