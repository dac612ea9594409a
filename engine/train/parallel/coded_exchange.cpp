// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/coded_exchange.h"

#include "engine/train/comm/multi_round_request.h"
#include "engine/train/comm/ring_collectives.h"
#include "engine/layout/mesh/replicas.h"
#include "engine/train/parallel/shards.h"

#include <fmt/format.h>
#include <utility>

namespace shardlab::train {
namespace {

static_assert(kernels::gradientCodeBlock == codeBlock);

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
    ArraySpan workers = worker_.span(), servers = server_.span();
    const auto take = [](ArraySpan& from, std::int64_t count) {
        const ArraySpan taken = from.first(static_cast<std::size_t>(count));
        from = from.last(from.size() - taken.size());
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
                                ArraySpan buffers) const {
    const Remainders& kept = units_[index];
    const int members = group.size(), me = group.rank(), bits = codeBits(format);
    const std::size_t all = static_cast<std::size_t>(codedBytes(format, kept.unit.size, members)) / sizeof(float);
    const std::size_t each = all / static_cast<std::size_t>(members);
    const ArraySpan sent = buffers.first(all), received = buffers.subspan(all, all);
    const auto codesOf = [each](ArraySpan codes, int part) {
        return codes.subspan(each * static_cast<std::size_t>(part), each);
    };
    const ArraySpan own = partOf(gradient, me, members);
    const auto stride = static_cast<std::int64_t>(each);
    Device* const device = &stage_.arena().device();
    std::vector<MultiRoundRequest::Round> rounds;
    const auto one = [](RequestPtr request) {
        std::vector<RequestPtr> requests;
        requests.push_back(std::move(request));
        return requests;
    };
    rounds.emplace_back([=, &group, remainder = kept.worker] {
        for (int part = 0; part < members; ++part) {
            const ElementRange range = partRange(gradient.size(), part, members);
            device->encodeGradient(
                bits, static_cast<std::int64_t>(range.count), gradient.subspan(range.begin, range.count).data(),
                remainder.subspan(range.begin, range.count).data().floats(), codesOf(sent, part).data().floats());
        }
        return one(group.iallToAll(sent, received));
    });
    const auto count = static_cast<std::int64_t>(own.size());
    if (server_.empty()) {
        rounds.emplace_back([=] {
            device->decodeCodedSum(bits, count, members, stride, received.data().floats(), own.data());
            return std::vector<RequestPtr>{};
        });
        return std::make_unique<MultiRoundRequest>(std::move(rounds));
    }
    rounds.emplace_back([=, &group, remainder = kept.server] {
        device->encodeCodedSum(bits, count, members, stride, received.data().floats(), remainder.data().floats(),
                               sent.data().floats());
        return one(group.iallGather(codesOf(sent, 0), received));
    });
    rounds.emplace_back([=] {
        for (int part = 0; part < members; ++part) {
            const ArraySpan sum = partOf(gradient, part, members);
            device->decodeCodedSum(bits, static_cast<std::int64_t>(sum.size()), 1, stride,
                                   codesOf(received, part).data().floats(), sum.data());
        }
        return std::vector<RequestPtr>{};
    });
    return std::make_unique<MultiRoundRequest>(std::move(rounds));
}

void CodedStage::scale(float factor) const {
    for (const Buffer* buffer : {&worker_, &server_}) {
        const ArraySpan remainder = buffer->span();
        if (remainder.empty()) continue;
        stage_.arena().device().multiply(static_cast<std::int64_t>(remainder.size()), factor, remainder.data());
    }
}

std::vector<RemainderPiece> CodedStage::pieces() const {
    std::vector<RemainderPiece> all;
    const std::span<const Parameter> parameters = stage_.parameters();
    const auto add = [&](const std::string_view first, const std::string_view second, std::int64_t begin,
                         ArraySpan values) {
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
