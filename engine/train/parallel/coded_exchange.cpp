// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/coded_exchange.h"

#include "engine/train/comm/gradient_codes.h"
#include "engine/train/comm/multi_round_request.h"
#include "engine/train/comm/ring_collectives.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/train/parallel/shards.h"

#include <fmt/format.h>
#include <utility>

namespace shardlab::train {
namespace {

constexpr std::string_view ofOutput = " of the output";
constexpr std::string_view sumKinds[2] = {"remainder of sums", "remainder of sums of the output"};

}  // namespace

CodedStage::CodedStage(Stage& stage, const ParallelSpec& parallel, std::span<const FlatUnit> units, int replica,
                       Arena& arena)
    : stage_(stage) {
    std::size_t worker = 0, server = 0;
    for (const FlatUnit& unit : units) {
        worker += static_cast<std::size_t>(unit.size);
        server += static_cast<std::size_t>(partSize(unit, replica, replicaCount(parallel)));
    }
    worker_ = arena.allocateZeroed(MemoryCategory::Gradients, worker);
    if (codesSums(parallel)) server_ = arena.allocateZeroed(MemoryCategory::Gradients, server);
    std::span<float> workers = worker_.span().floats(), servers = server_.span().floats();
    const auto take = [](std::span<float>& from, std::int64_t count) {
        const std::span<float> taken = from.first(static_cast<std::size_t>(count));
        from = from.subspan(taken.size());
        return taken;
    };
    for (const FlatUnit& unit : units) {
        const std::string kind = fmt::format("remainder {}", replica / unit.spread);
        units_.push_back({unit,
                          take(workers, unit.size),
                          {},
                          unit.begin + partBegin(unit, replica, replicaCount(parallel)),
                          {kind, kind + std::string(ofOutput)}});
        if (codesSums(parallel)) units_.back().server = take(servers, partSize(unit, replica, replicaCount(parallel)));
    }
}

RequestPtr CodedStage::exchange(ExchangeFormat format, std::size_t index, ArraySpan gradient, Communicator& group,
                                std::span<float> buffers) const {
    const Remainders& kept = units_[index];
    const int members = group.size(), me = group.rank();
    const std::size_t all = static_cast<std::size_t>(codedBytes(format, kept.unit.size, members)) / sizeof(float);
    const std::size_t each = all / static_cast<std::size_t>(members);
    const std::span<float> sent = buffers.first(all), received = buffers.subspan(all, all);
    const auto codesOf = [each](std::span<float> codes, int part) {
        return codes.subspan(each * static_cast<std::size_t>(part), each);
    };
    const ArraySpan own = partOf(gradient, me, members);
    std::vector<MultiRoundRequest::Round> rounds;
    const auto one = [](RequestPtr request) {
        std::vector<RequestPtr> requests;
        requests.push_back(std::move(request));
        return requests;
    };
    rounds.emplace_back([=, &group, remainder = kept.worker] {
        for (int part = 0; part < members; ++part) {
            const ElementRange range = partRange(gradient.size(), part, members);
            encode(format, gradient.subspan(range.begin, range.count), remainder.subspan(range.begin, range.count),
                   codesOf(sent, part));
        }
        return one(group.iallToAll(ArraySpan(sent), ArraySpan(received)));
    });
    const auto fromAll = [=] {
        std::vector<std::span<const float>> sources;
        for (int member = 0; member < members; ++member) sources.push_back(codesOf(received, member));
        return sources;
    };
    if (server_.empty()) {
        rounds.emplace_back([=] {
            decodeSum(format, fromAll(), own);
            return std::vector<RequestPtr>{};
        });
        return std::make_unique<MultiRoundRequest>(std::move(rounds));
    }
    rounds.emplace_back([=, &group, remainder = kept.server] {
        encodeSum(format, fromAll(), remainder, codesOf(sent, 0));
        return one(group.iallGather(ArraySpan(codesOf(sent, 0)), ArraySpan(received)));
    });
    rounds.emplace_back([=] {
        for (int part = 0; part < members; ++part) {
            const std::span<const float> codes = codesOf(received, part);
            decodeSum(format, {&codes, 1}, partOf(gradient, part, members));
        }
        return std::vector<RequestPtr>{};
    });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

void CodedStage::scale(float factor) const {
    for (const Buffer* buffer : {&worker_, &server_}) {
        const std::span<float> remainder = buffer->span().floats();
        for (float& each : remainder) each *= factor;
    }
}

std::vector<RemainderPiece> CodedStage::pieces() const {
    std::vector<RemainderPiece> all;
    const std::span<const Parameter> parameters = stage_.parameters();
    const auto add = [&](const std::string_view first, const std::string_view second, std::int64_t begin,
                         std::span<float> values) {
        visitPieces(parameters, begin, begin + static_cast<std::int64_t>(values.size()),
                    [&](std::size_t i, std::int64_t at, std::int64_t within, std::int64_t count) {
                        const bool copy = parameters[i].tied && !parameters[i].owner;
                        all.push_back({&parameters[i], copy ? second : first, within,
                                       values.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(count))});
                    });
    };
    for (const Remainders& kept : units_) {
        add(kept.kinds[0], kept.kinds[1], kept.unit.begin, kept.worker);
        add(sumKinds[0], sumKinds[1], kept.serverBegin, kept.server);
    }
    return all;
}

}  // namespace shardlab::train
