// SPDX-License-Identifier: Apache-2.0
// What two runs of run_in_process.h came to, held beside each other.
#pragma once

#include "tests/train/loss_curves.h"
#include "tests/train/run_in_process.h"
#include "tests/support/wings.h"

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardlab::test {

/// Largest parts of what is wanted that a run may be off by. A weight that several ranks hold, counted more than once
/// in the norm of the gradients, would be off by far more.
struct CurveTolerance {
    double loss = 1e-5;  ///< in training, of predictions ahead and in validation
    double norm = 1e-3;
};

/// The first loss or norm of gradients that differs, in words; empty: none, and both runs came to their end.
inline QString difference(const RunOutcome& run, const RunOutcome& wanted, const CurveTolerance& tolerance = {}) {
    for (const RunOutcome* each : {&run, &wanted}) {
        if (!each->error.empty()) return QString::fromStdString(each->error);
        for (const RankOutcome& rank : each->ranks)
            if (rank.end != "finished") return "a rank came to another end: " + QString::fromStdString(rank.end);
        if (each->counter(EventKind::Loss).empty()) return "a run without a loss";
    }
    const std::pair<EventKind, double> curves[] = {{EventKind::Loss, tolerance.loss},
                                                   {EventKind::PredictionLoss, tolerance.loss},
                                                   {EventKind::ValidationLoss, tolerance.loss},
                                                   {EventKind::GradientNorm, tolerance.norm}};
    for (const auto& [kind, part] : curves)
        if (const QString wrong = difference(run.counter(kind), wanted.counter(kind), part); !wrong.isEmpty())
            return QString("%1: %2").arg(name(kind).data(), wrong);
    return {};
}

/// The whole weights that a run ended with, put together from what every rank holds of them. What several hold is the
/// same to the bit.
inline std::map<std::string, std::vector<float>> wholeWeights(const RunOutcome& run) {
    std::map<std::string, std::vector<float>> all;
    for (const RankOutcome& rank : run.ranks)
        for (const auto& [key, values] : rank.parameters) {
            const Slice& slice = rank.slices.at(key);
            std::vector<float>& whole = all[key.substr(key.find('/') + 1)];
            whole.resize(static_cast<std::size_t>(wholeElements(slice)), NAN);
            const std::int64_t begin = rank.begins.at(key);
            for (const SliceRun& part : sliceRuns(slice, begin, static_cast<std::int64_t>(values.size())))
                for (std::int64_t i = 0; i < part.count; ++i) {
                    float& place = whole[static_cast<std::size_t>(part.whole + i)];
                    const float value = values[static_cast<std::size_t>(part.part - begin + i)];
                    if (!std::isnan(place) && place != value) throw std::runtime_error(key + " has two values");
                    place = value;
                }
        }
    return all;
}

}  // namespace shardlab::test
