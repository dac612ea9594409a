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
    : stage_(stage), sums_(codesSums(parallel)),
      remainders_(arena.allocateZeroed(
          MemoryCategory::Gradients,
          static_cast<std::size_t>(remainderNumbers(parallel, {units.begin(), units.end()}, replica)))) {
    ArraySpan rest = remainders_.span();
    const auto take = [&rest](std::int64_t count) {
        const ArraySpan taken = rest.first(static_cast<std::size_t>(count));
        rest = rest.last(rest.size() - taken.size());
        return taken;
    };
    const int sharing = replicasOfCopy(parallel), number = numberInCopy(parallel, replica);
    const int copies = copyCount(parallel), copy = replica / sharing;
    for (const FlatUnit& unit : units) {
        const std::int64_t begin = unit.begin + partBegin(unit, number, sharing),
                           size = partSize(unit, number, sharing);
        const auto add = [&](std::vector<Remainders>& to, std::int64_t most, const std::string& kind) -> Remainders& {
            to.push_back({.most = most, .kinds = {kind, kind + std::string(ofOutput)}});
            return to.back();
        };
        Remainders& whole = add(units_, unit.size, fmt::format("remainder {}", replica / unit.spread));
        whole.worker = take(unit.size);
        whole.begin = unit.begin;
        if (sums_) whole.server = take(size);
        whole.serverBegin = begin;
        if (copies == 1) continue;
        const int parts = exchanging(parallel, unit);
        Remainders& part = add(parts_, (unit.size + parts - 1) / parts, fmt::format("remainder of copy {}", copy));
        part.worker = take(size);
        part.begin = begin;
        part.server = take(rangeSize(size, copies, copy));
        part.serverBegin = begin + rangeBegin(size, copies, copy);
    }
}

RequestPtr CodedStage::exchange(ExchangeFormat format, std::size_t index, ArraySpan gradient, Communicator& group,
                                ArraySpan buffers) const {
    return exchange(format, units_[index], sums_, gradient, group, buffers);
}

RequestPtr CodedStage::exchangePart(ExchangeFormat format, std::size_t index, ArraySpan part, Communicator& group,
                                    ArraySpan buffers) const {
    return exchange(format, parts_[index], true, part, group, buffers);
}

RequestPtr CodedStage::exchange(ExchangeFormat format, const Remainders& kept, bool sums, ArraySpan gradient,
                                Communicator& group, ArraySpan buffers) const {
    const int members = group.size(), me = group.rank(), bits = codeBits(format);
    const std::size_t all = static_cast<std::size_t>(codedBytes(format, kept.most, members)) / sizeof(float);
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
    if (!sums) {
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
    const ArraySpan all = remainders_.span();
    if (!all.empty()) stage_.arena().device().multiply(static_cast<std::int64_t>(all.size()), factor, all.data());
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
    for (const auto* const list : {&units_, &parts_})
        for (const Remainders& kept : *list) {
            add(kept.kinds[0], kept.kinds[1], kept.begin, kept.worker);
            add(sumKinds[0], sumKinds[1], kept.serverBegin, kept.server);
        }
    return all;
}

}  // namespace shardlab::train
