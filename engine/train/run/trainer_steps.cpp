// SPDX-License-Identifier: Apache-2.0
// The steps of a trainer, together with other ranks, by a server, or without a lock; and what happens between steps.
#include "engine/train/run/trainer_impl.h"

#include "engine/base/clock.h"
#include "engine/base/crc32c.h"
#include "engine/train/optim/learning_rate.h"
#include "engine/layout/schedule/passes.h"
#include "engine/train/run/async_server.h"
#include "engine/train/run/async_worker.h"
#include "engine/train/run/fp8_trace.h"
#include "engine/train/run/hogwild_worker.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace shardlab::train {

std::string Trainer::Impl::run() {
    trace_.span(Lane::Host, EventKind::Setup, began_, trace_.now());
    const std::string end = train();
    if (operations_) operations_->endStep();
    finishCheckpoint();
    trace_.doing(RankPhase::Finished);
    return end;
}

std::string Trainer::Impl::train() {
    const auto pausing = [&] {
        finishCheckpoint();  // while paused nobody looks whether it is complete
        trace_.doing(RankPhase::Paused);
    };
    if (exchange() == Exchange::AsyncServer) {
        const int done = trainAsynchronously();
        return done < layout_.run.steps ? "stopped" : "finished";
    }
    if (layout_.checkpoint.every > 0 && layout_.checkpoint.first && services_.resume.empty()) takeCheckpoint(0);
    int step = exchange() == Exchange::Hogwild ? trainWithoutLock() : static_cast<int>(firstStep_);
    empties_ = nextEmpty(step);
    bool asked = false, stops = false;  // at the next moment at which the pipeline is empty
    while (exchange() != Exchange::Hogwild && step < layout_.run.steps) {
        trace_.doing(RankPhase::BetweenSteps);
        if (checkpoints_) checkpoints_->look();
        const Decision decision = stops ? Decision::Run : decisions_.next(pausing);
        together_ = together_ || decisions_.met();
        if (decision == Decision::Checkpoint) {
            asked = emptySoon(step);
            if (!asked) takeCheckpoint(step);
            continue;
        }
        if (decision == Decision::Stop) {
            stops = layout_.checkpoint.every > 0 && emptySoon(step);
            if (!stops) break;
        }
        this->step(step);
        if (validatesAfter(step)) validate();
        ++step;
        const bool empty = step == empties_;
        if (empty) refill(step);
        if (checkpoints_ && (checkpoints_->due(step) || (empty && asked))) takeCheckpoint(step);
        if (empty && stops) break;
        asked = asked && !empty;
    }
    if (layout_.checkpoint.every > 0 && step > firstStep_) takeCheckpoint(step);
    else compareReplicas();
    leave();
    return step < layout_.run.steps ? "stopped" : "finished";
}

/// Trains with an asynchronous server, which takes commands between two steps; workers get none.
int Trainer::Impl::trainAsynchronously() {
    clock_->startStep(services_.world);
    RankStage& rankStage = stages_.begin()->second;
    const auto begins = [this](int step) { beginStep(step); };
    std::vector<Action> gradient, update;
    for (const Action& action : mine(plan_.lowered)) (isCompute(action.kind) ? gradient : update).push_back(action);
    int steps = 0;
    if (serves()) {
        const auto stepped = [this](int step, double loss, double gradientNorm, double seconds) {
            recordStep(step, loss, gradientNorm, seconds);
            if (!validatesAfter(step)) return;
            validate();
            clock_->catchUp();
        };
        steps = AsyncServer({*place_.data, *executor_, *rankStage.stage, arena_, trace_, plan_.costs, *clock_, control_,
                             update, layout_.run.steps, plan_.lowered.microbatches, begins, stepped,
                             [this] { takeCheckpoint(0); }})
                    .run();
    } else {
        const Action push = update.front(), pull = update.back();
        steps =
            AsyncWorker({*place_.data, *executor_, rankStage, arena_, trace_, plan_.costs, *clock_, std::move(gradient),
                         push, pull, begins,
                         [this](std::int64_t number, int microbatch) { return sampler_.train(number, microbatch); }})
                .run();
    }
    executor_->abandon();
    return steps;
}

/// Trains with Hogwild. Worker 0 takes commands and validates; where the run must have one state, all workers meet.
int Trainer::Impl::trainWithoutLock() {
    HogwildWorkerSetup setup{
        *place_.data, *executor_, *shared_,           *stages_.begin()->second.stage, arena_, trace_,
        *clock_,      control_,   mine(plan_.lowered)};
    setup.firstStep = static_cast<int>(firstStep_);
    setup.steps = layout_.run.steps;
    setup.microbatches = plan_.lowered.microbatches;
    setup.tokens = [this](std::int64_t step, int microbatch) { return sampler_.train(step, microbatch); };
    if (checkpoints_) setup.due = [this](int stepsDone) { return checkpoints_->due(stepsDone); };
    setup.checkpoint = [this](int stepsDone) {
        takeCheckpoint(stepsDone);
        finishCheckpoint();
    };
    setup.begins = [this](int step) { beginStep(step); };
    setup.stepped = [this](int step, double loss, double gradientNorm, double seconds) {
        recordStep(step, loss, gradientNorm, seconds);
    };
    setup.validatesAfter = [this](int step) { return validatesAfter(step); };
    setup.validate = [this] { validate(); };
    return HogwildWorker(std::move(setup)).run();
}

void Trainer::Impl::takeCheckpoint(std::int64_t stepsDone) {
    together_ = true;
    if (!checkpoints_) return;
    if (exchange() == Exchange::AsyncServer) {
        if (services_.warn && services_.world.rank() == 0)
            services_.warn("no checkpoint: with the exchange " + std::string(wordOf(exchange())) +
                           " no replica's weights are those of the run");
        return;
    }
    compareReplicas();
    // Steps before a checkpoint are never done again, so their records must not be lost with the process.
    if (services_.settle) services_.settle();
    checkpoints_->take({stepsDone, sampler_.samplesBefore(stepsDone), scale_.numbers()});
}

/// Replicas that average their gradients begin with the same weights and make the same updates, so that they stay the
/// same to the bit. Collective over the ranks that hold the same weights.
void Trainer::Impl::compareReplicas() {
    const bool alike = exchange() == Exchange::AllReduce || exchange() == Exchange::Server;
    if (!alike || layout_.parallel.zero == 3 || place_.data->size() == 1) return;
    std::uint32_t checksum = 0;
    std::vector<std::byte> copy;
    for (auto& [index, rankStage] : stages_)
        for (const Parameter& parameter : rankStage.stage->parameters()) {
            if (parameter.expert) continue;  // other replicas hold other experts
            copy.resize(parameter.value.bytes().size());
            arena_.device().download(parameter.value.data().data, copy.data(), copy.size());
            checksum = crc32c(copy, checksum);
        }
    const std::vector<std::int64_t> all = gather(*place_.data, std::int64_t{checksum});
    if (place_.data->rank() != 0) return;
    const auto same = std::ranges::count(all, all.front());
    trace_.counter(EventKind::ReplicasThatDiffer, static_cast<double>(std::ssize(all) - same));
}

/// Waits until no checkpoint is under way.
void Trainer::Impl::finishCheckpoint() {
    if (!checkpoints_) return;
    trace_.doing(RankPhase::Checkpointing);
    checkpoints_->finish();
}

/// Waits for all messages that are on their way.
void Trainer::Impl::leave() {
    decisions_.finish();
    executor_->abandon();
}

/// Ranks start a step together on the clock; where steps are not flushed, only a step that they come to together.
void Trainer::Impl::startTogether() {
    if (std::exchange(together_, plan_.lowered.flushes())) clock_->startStep(services_.world);
}

void Trainer::Impl::beginStep(int step) {
    if (operations_) operations_->endStep();  // of the step before, by its number
    trace_.setStep(step);
    if (operations_) operations_->beginStep(step);
    if (services_.faults) services_.faults->beginStep(step);
}

void Trainer::Impl::step(int step) {
    beginStep(step);
    arena_.resetPeaks();
    if (host_) host_->arena().resetPeaks();
    startTogether();
    if (dataParallel_) dataParallel_->beginStep();
    if (hostCopies_) hostCopies_->beginStep();
    const std::int64_t begin = trace_.now();
    const Executed done = runList(step);
    const std::int64_t end = trace_.now();
    if (operations_) operations_->endStep();
    trace_.span(Lane::Host, EventKind::Step, begin, end);
    recordExposedComm();
    trace_.memoryPeak();
    if (host_) trace_.hostMemory(host_->arena().peakByCategory());
    for (auto& [index, rankStage] : stages_)
        for (const ExpertLoad& load : rankStage.stage->takeExpertLoads()) {
            if (place_.tensorRank == 0) trace_.experts(load);
            if (biasesChoice(layout_.model) && !done.overflow) moveChoiceBias(*rankStage.stage, load);
        }
    for (auto& [index, rankStage] : stages_)
        endFp8Step(*rankStage.stage, index, trace_, place_.data.get(), place_.tensor.get());
    recordPacked();
    const float scaled = scale_.value();
    scale_.stepped(done.overflow);
    scaleRemainders(scaled);
    if (!place_.holdsLast) return;
    const double loss = meanLoss(done.lossSum, plan_.lowered.microbatches);
    const bool predicts = predictionModules(layout_.model) > 0;
    const double further = predicts ? meanLoss(done.predictionSum, plan_.lowered.microbatches) : 0;
    if (!reports()) return;
    if (predicts) trace_.counter(EventKind::PredictionLoss, further);
    if (scale_.active()) trace_.counter(EventKind::LossScale, scaled);
    recordStep(step, loss, done.overflow ? std::nullopt : std::optional(done.gradientNorm), toSeconds(end - begin));
}

void Trainer::Impl::scaleRemainders(float before) {
    if (scale_.value() == before) return;
    for (auto& [index, rankStage] : stages_)
        if (rankStage.coded) rankStage.coded->scale(scale_.value() / before);
}

/// Every replica comes to the same bits: counts are whole numbers.
void Trainer::Impl::moveChoiceBias(Stage& stage, const ExpertLoad& load) {
    std::vector<double> asked;
    for (const std::int32_t own : load.asked) asked.push_back(sum(*place_.data, static_cast<double>(own)));
    stage.moveChoiceBias(load.layer, asked, layout_.model.experts.biasRate);
}

void Trainer::Impl::recordPacked() {
    PackedTally sum;
    for (auto& [index, rankStage] : stages_) {
        const PackedTally packed = rankStage.stage->takePacked();
        sum.kept += packed.kept;
        sum.plain += packed.plain;
    }
    if (sum.plain > 0) trace_.packed(sum.kept, sum.plain);
}

/// Records how much of the communication beside compute, over the data axis and to the host, the rank waited for.
void Trainer::Impl::recordExposedComm() {
    if (!dataParallel_ && !hostCopies_) return;
    const double moved =
        (dataParallel_ ? dataParallel_->communicatedSeconds() : 0) + (hostCopies_ ? hostCopies_->copiedSeconds() : 0);
    const double exposed =
        (dataParallel_ ? dataParallel_->exposedSeconds() : 0) + (hostCopies_ ? hostCopies_->exposedSeconds() : 0);
    trace_.counter(EventKind::ExposedComm, exposed);
    trace_.counter(EventKind::HiddenComm, std::max(0.0, moved - exposed));
}

void Trainer::Impl::recordStep(int step, double loss, std::optional<double> gradientNorm, double seconds) {
    trace_.counter(EventKind::Loss, loss);
    trace_.counter(EventKind::LearningRate,
                   learningRate(layout_.optimizer, updates() / layout_.run.steps * (step + 1), updates()));
    if (layout_.optimizer.clip > 0 && gradientNorm) trace_.counter(EventKind::GradientNorm, *gradientNorm);
    trace_.counter(EventKind::TokensPerSecond, static_cast<double>(tokensPerStep(layout_)) / seconds);
    trace_.counter(EventKind::Epochs, sampler_.epochsBefore(step + 1));
    trace_.counter(EventKind::Samples, (step + 1.0) * layout_.batch.global);
}

Executed Trainer::Impl::runList(int step) {
    const Schedule& lowered = plan_.lowered;
    const int each = lowered.microbatches;
    const auto tokens = [&](int microbatch) { return sampler_.train(step + microbatch / each, microbatch % each); };
    if (lowered.flushes()) return executor_->train(mine(lowered), step, tokens);
    const std::int64_t left = std::int64_t{empties_ - step} * each;
    std::optional<Schedule> ending;
    if (left < lowered.numbered()) ending = withoutMicrobatchesFrom(lowered, static_cast<int>(left));
    const Schedule& schedule = ending ? *ending : lowered;
    if (!std::exchange(filled_, true))
        executor_->train(schedule.fill[static_cast<std::size_t>(place_.pipelineRank)], step, tokens);
    const Executed done = executor_->train(mine(schedule), step, tokens);
    executor_->crossStepBoundary(each);
    return done;
}

int Trainer::Impl::nextEmpty(int step) const {
    const int every = layout_.checkpoint.every;
    return every == 0 ? layout_.run.steps : std::min(layout_.run.steps, (step / every + 1) * every);
}

bool Trainer::Impl::emptySoon(int step) {
    const int each = plan_.lowered.microbatches, begun = filled_ ? plan_.lowered.numbered() - each : 0;
    if (begun <= 0) return false;
    empties_ = std::min(empties_, step + (begun + each - 1) / each);
    return true;
}

void Trainer::Impl::refill(int step) {
    empties_ = nextEmpty(step);
    if (std::exchange(filled_, false)) executor_->empty();
}

bool Trainer::Impl::validatesAfter(int step) const {
    if (sampler_.validationMicrobatches() == 0) return false;
    const int every = layout_.run.validateEvery;
    return step + 1 == layout_.run.steps || (every > 0 && (step + 1) % every == 0);
}

void Trainer::Impl::validate() {
    const std::int64_t begin = trace_.now();
    together_ = true;
    if (elastic_) elastic_->lend();
    const Executed done = executor_->evaluate(
        mine(validation_), [&](int microbatch) { return validating().validation(microbatch - validationFrom_); });
    if (elastic_) elastic_->restore();
    trace_.span(Lane::Host, EventKind::Validation, begin, trace_.now());
    if (!place_.holdsLast) return;
    const int count = validating().validationMicrobatches();
    const double loss = runsAtOwnPace(layout_.parallel) ? done.lossSum / count : meanLoss(done.lossSum, count);
    if (reports()) trace_.counter(EventKind::ValidationLoss, loss);
}

}  // namespace shardlab::train
