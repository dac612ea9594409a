// SPDX-License-Identifier: Apache-2.0
#include "engine/train/parallel/context.h"

namespace shardlab::train {

namespace {

class Passing final : public ContextGroup::Hop {
public:
    Passing(RequestPtr sent, RequestPtr received, std::function<void()> over)
        : sent_(std::move(sent)), received_(std::move(received)), over_(std::move(over)) {}
    void wait() override {
        received_->wait();
        sent_->wait();
        if (over_) over_();
    }

private:
    RequestPtr sent_;
    RequestPtr received_;
    std::function<void()> over_;
};

}  // namespace

std::vector<std::pair<int, int>> ringLinks(int members) {
    std::vector<std::pair<int, int>> links;
    for (int member = 0; member < members; ++member) links.emplace_back(member, (member + 1) % members);
    return links;
}

ContextParallel::ContextParallel(Communicator& group, ContextKind kind, Observer observer)
    : ContextGroup(group.size(), group.rank(), kind), group_(group), observer_(std::move(observer)) {
    if (kind == ContextKind::Ring) group_.connect(ringLinks(group.size()));
}

std::function<void()> ContextParallel::observed(ContextTransfer::Kind kind, std::size_t bytes) const {
    if (!observer_) return {};
    return observer_({kind, layer_, static_cast<std::int64_t>(bytes)});
}

std::unique_ptr<ContextGroup::Hop> ContextParallel::pass(ConstArraySpan sent, ArraySpan received, int stream) {
    std::function<void()> over = observed(ContextTransfer::Kind::Hop, sent.bytes().size());
    const int next = (member() + 1) % size(), last = (member() + size() - 1) % size();
    RequestPtr coming = group_.ireceive(received.bytes(), last, stream);
    return std::make_unique<Passing>(group_.isend(sent.bytes(), next, stream), std::move(coming), std::move(over));
}

void ContextParallel::exchange(ConstArraySpan sent, ArraySpan received) {
    const std::function<void()> over = observed(ContextTransfer::Kind::ExchangeHeads, sent.bytes().size());
    group_.allToAll(sent, received);
    if (over) over();
}

void ContextParallel::gatherChoices(ConstArraySpan own, ArraySpan received) {
    const std::function<void()> over = observed(ContextTransfer::Kind::GatherChoices, received.bytes().size());
    group_.allGather(own, received);
    if (over) over();
}

}  // namespace shardlab::train
