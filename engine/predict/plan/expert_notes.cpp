// SPDX-License-Identifier: Apache-2.0
#include "engine/predict/plan/expert_notes.h"

#include "engine/base/parameter_count.h"
#include "engine/base/units.h"
#include "engine/layout/formats.h"
#include "engine/layout/mesh/folding.h"
#include "engine/layout/model_shape.h"
#include "engine/predict/plan/expert_bytes.h"
#include "engine/predict/plan/tensor_costs.h"

#include <fmt/format.h>

namespace shardlab::predict {

std::vector<Sentence> expertNotes(const Layout& layout) {
    const ModelSpec& model = layout.model;
    if (!hasExperts(model)) return {};
    const bool theyChoose = expertsChoose(model), draws = traits(model.experts.gate).draws;
    const double asked = expertsPerToken(model);  // of a token
    const double places = static_cast<double>(expertRows(model, 1)) / model.sequence;
    const double others = model.experts.count - (theyChoose ? places : asked);
    double idle = 0;
    for (int layer = 0; layer < model.layers; ++layer)
        if (hasExperts(model, layer)) idle += others * parametersOfExpert(model, layer);
    const auto all = static_cast<double>(modelParameters(model));
    std::vector<Sentence> notes;
    const Sentence rowsOfEach =
        dropless(model)
            ? say("each of the {} experts of a block has as many rows as tokens choose it", model.experts.count)
            : say("each of the {} experts of a block has a capacity of {} of the {} tokens of a sample",
                  model.experts.count, expertCapacity(model), model.sequence);
    notes.push_back(
        say("a token uses {} of {} parameters; {}", formatParameters(all - idle), formatParameters(all), rowsOfEach));
    if (draws)
        notes.push_back(
            say("with {} the second expert of a token is drawn at random, with twice its share of the two weights as "
                "the probability: a token uses one expert or two, and always two in validation, which draws nothing",
                wordOf(model.experts.gate)));
    if (draws && places < 1)
        notes.push_back(say("experts have capacity for {} of all first choices: at least {} of them are dropped; "
                            "model.capacity 0.5 would be enough if all experts were chosen equally often",
                            formatPercent(places), formatPercent(1 - places)));
    if (!theyChoose && !draws && places < asked)
        notes.push_back(say("experts have capacity for {} of the tokens' choices: at least {} of them are dropped; "
                            "model.capacity 1 would be enough if all experts were chosen equally often",
                            formatPercent(places / asked), formatPercent(1 - places / asked)));
    if (theyChoose)
        notes.push_back(say("with {} the experts of a token depend on the tokens after it: the loss is lower than a "
                            "model that generates text can reach",
                            wordOf(model.experts.gate)));
    if (capsTokens(model))
        notes.push_back(
            say("the assignment gives a token at most {}, to 0.1 %, and is found in up to 500 rounds for each sample; "
                "experts take whole tokens from it, so that a token can have more experts, or none",
                model.experts.tokenExperts == 1 ? say("1 expert") : say("{} experts", model.experts.tokenExperts)));
    const int folds = expertFolds(layout.parallel), own = model.experts.count / layout.parallel.expert;
    if (folds > 1)
        notes.push_back(say("{} parts of each tensor group hold different experts, {} of {}, {}: a part computes the "
                            "rows of its own experts, and the members' sum brings them together",
                            folds, model.experts.count / folds, model.experts.count,
                            folds == layout.parallel.tensor
                                ? say("each whole on one rank")
                                : say("each cut over {} ranks", layout.parallel.tensor / folds)));
    if (const int e = exchangeMembers(layout); e > 1) {
        const std::int64_t rows = numberFormats(layout.precision).activationBytes() *
                                  expertRows(model, layout.batch.micro, tensorShare(layout)) * model.hidden;
        notes.push_back(say("each rank holds {} of {} experts of a block and sends {} of a microbatch's {} to other "
                            "ranks, twice in a forward and twice in a backward: {}",
                            own, model.experts.count, formatBytes(rows / e * (e - 1)), formatBytes(rows),
                            dropless(model) || competesForPlaces(layout)
                                ? say("so many where all experts are chosen equally often")
                                : say("the whole capacity is sent, used or not")));
    }
    return notes;
}

}  // namespace shardlab::predict
