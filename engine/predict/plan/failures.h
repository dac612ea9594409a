// SPDX-License-Identifier: Apache-2.0
// A long run whose devices fail: how much of its time trains, and how often it should save.
//
// Failures come at a constant rate, one in M seconds in the mean over all devices, at any moment: while a rank trains,
// while it saves, and while it starts again. Work of τ seconds is followed by a checkpoint of δ seconds; a failure
// throws away what was done since the last one, and to start again takes R seconds. Then τ seconds of work take
//     T(τ) = M · exp(R ÷ M) · (exp((τ + δ) ÷ M) − 1)
// in the mean (Daly, A higher order estimate of the optimum checkpoint interval for restart dumps, Future Generation
// Computer Systems 22, 2006, equation 20), and the goodput is τ ÷ T(τ).
#pragma once

#include "engine/base/wings.h"

namespace shardlab::predict {

struct Failures {
    double meanSeconds = 0;        ///< M, between two failures of any device; 0: nothing fails
    double checkpointSeconds = 0;  ///< δ, in which nothing trains
    double restartSeconds = 0;     ///< R, from a failure until training goes on: noticed, scheduled, loaded
    bool any() const { return meanSeconds > 0; }
};

/// √(2·δ·M) (Young, A first order approximation to the optimum checkpoint interval, Communications of the ACM 17,
/// 1974).
double youngInterval(const Failures& failures);
/// Daly's higher order estimate: √(2·δ·M)·(1 + √(δ ÷ 2M) ÷ 3 + δ ÷ 18M) − δ where δ < 2M, else M.
double dalyInterval(const Failures& failures);
/// The τ at which T(τ) ÷ τ is least, where (1 − τ ÷ M)·exp((τ + δ) ÷ M) = 1, to the last digit. Saving takes some time.
double bestInterval(const Failures& failures);

/// Shares of a run's time; they are 1 together. Where nothing fails: work and saving.
struct TimeShares {
    double work = 0;     ///< the goodput
    double saving = 0;   ///< checkpoints that were completed
    double again = 0;    ///< work and checkpoints that a failure threw away
    double restart = 0;  ///< until training goes on
};
/// With a checkpoint after every `interval` seconds of work.
TimeShares timeShares(const Failures& failures, double interval);

}  // namespace shardlab::predict
