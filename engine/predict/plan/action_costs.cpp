// SPDX-License-Identifier: Apache-2.0
// Where the costs of a stage keep the time and the bytes of each kind of action.
#include "engine/predict/plan/costs.h"

namespace shardlab::predict {
namespace {

using Kind = ActionKind;
using Stage = StageCosts;
using Data = DataCosts;

struct CostOfKind {
    double Stage::*seconds = nullptr;
    std::int64_t Stage::*bytes = nullptr;
    double Stage::*before = nullptr;                 ///< seconds that the rank works alone before it
    std::vector<DataPiece> Data::*pieces = nullptr;  ///< the action is the sum of these
};

constexpr CostOfKind piecesIn(std::vector<DataPiece> Data::*pieces) { return {nullptr, nullptr, nullptr, pieces}; }

constexpr ActionTable<CostOfKind> costOfKind({
    {Kind::None, {}},
    {Kind::Forward, {&Stage::forward}},
    {Kind::Backward, {&Stage::backward}},
    {Kind::InputGrad, {&Stage::inputGrad}},
    {Kind::WeightGrad, {&Stage::weightGrad}},
    {Kind::Recompute, {&Stage::forward}},
    {Kind::SendForward, {&Stage::send, &Stage::sendBytes}},
    {Kind::RecvForward, {nullptr, &Stage::sendBytes}},
    {Kind::SendBackward, {&Stage::send, &Stage::sendBytes}},
    {Kind::RecvBackward, {nullptr, &Stage::sendBytes}},
    {Kind::ReduceGradients, {&Stage::reduce, &Stage::reduceBytes}},
    {Kind::ReduceTied, {&Stage::tied, &Stage::tiedBytes}},
    {Kind::ReduceNorm, {&Stage::norm, &Stage::normBytes, &Stage::normReading}},
    {Kind::OptimizerStep, {&Stage::optimizer}},
    {Kind::ReduceBuckets, piecesIn(&Data::reduce)},
    {Kind::ScatterGradients, piecesIn(&Data::reduce)},
    {Kind::GatherForward, piecesIn(&Data::gatherForward)},
    {Kind::GatherBackward, piecesIn(&Data::gatherBackward)},
    {Kind::GatherUpdated, piecesIn(&Data::gatherUpdated)},
    {Kind::StashWeights, {&Stage::stash, &Stage::weightBytes}},
    {Kind::FreeWeights, {nullptr, &Stage::weightBytes}},
    {Kind::PushGradients, {&Stage::push, &Stage::reduceBytes}},
    {Kind::PullWeights, {&Stage::pull, &Stage::weightBytes}},
    {Kind::ExchangeElastic, {&Stage::elastic, &Stage::elasticBytes}},
    {Kind::OffloadGradients, {&Stage::offload, &Stage::offloadBytes}},
    {Kind::ReloadWeights, {&Stage::reload, &Stage::reloadBytes}},
    {Kind::SwapOut, {&Stage::swap, &Stage::swapBytes}},
    {Kind::SwapIn, {&Stage::swap, &Stage::swapBytes}},
    {Kind::SwapFree, {}},
    {Kind::ReduceParts, piecesIn(&Data::parts)},
    {Kind::FetchForward, piecesIn(&Data::fetchForward)},
    {Kind::FetchBackward, piecesIn(&Data::fetchBackward)},
});

/// The stage whose costs an action has; a message has those of the stage below its edge.
const Stage& costingStage(const std::vector<Stage>& stages, const Action& action) {
    return stages[static_cast<std::size_t>(isMessage(action.kind) ? lowerStage(action) : action.stage)];
}

}  // namespace

const std::vector<DataPiece>& DataCosts::pieces(ActionKind kind) const {
    static const std::vector<DataPiece> none;
    const auto pieces = costOfKind[kind].pieces;
    return pieces ? this->*pieces : none;
}

double StepCosts::seconds(const Action& action) const {
    const CostOfKind& cost = costOfKind[action.kind];
    const Stage& stage = costingStage(stages, action);
    double sum = 0;
    if (cost.before) sum += stage.*cost.before;
    if (cost.seconds) sum += stage.*cost.seconds;
    for (const DataPiece& piece : stage.data.pieces(action.kind)) sum += piece.seconds;
    return sum * stretch;
}

std::int64_t StepCosts::bytes(const Action& action) const {
    const CostOfKind& cost = costOfKind[action.kind];
    const Stage& stage = costingStage(stages, action);
    std::int64_t sum = 0;
    if (cost.bytes) sum += stage.*cost.bytes;
    for (const DataPiece& piece : stage.data.pieces(action.kind)) sum += piece.bytes;
    return sum;
}

}  // namespace shardlab::predict
