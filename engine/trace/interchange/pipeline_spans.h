// SPDX-License-Identifier: Apache-2.0
// The actions of a pipeline in a trace of PyTorch: torch.distributed.pipelining names them by annotations ("PP:2F3",
// "Forward 3"), and the messages between stages lie within them.
#pragma once

#include "engine/trace/interchange/foreign_trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace shardlab::trace {

struct PipelineName {
    Action action;            ///< computes, or is a message
    bool stageNamed = false;  ///< "PP:2F3"; "Forward 3" leaves the stage to the rank, and contains its messages
    bool counted = false;     ///< Megatron leaves the microbatch to the order in which a rank does them
};
/// None: the annotation is no action of a pipeline, or of one that events do not tell apart (UNSHARD, WAIT_SEND_F …).
std::optional<PipelineName> pipelineName(std::string_view annotation);

enum class MessageSide : std::uint8_t { Unknown, Send, Receive };

/// The spans of one file, which come in any order.
class PipelineSpans {
public:
    /// `external`: what joins the annotation on a device to that of its host; 0: nothing does.
    void annotate(const PipelineName& name, const ForeignEvent& span, bool device, std::uint64_t external);
    /// A send or a receive, so far a collective.
    void exchange(const ForeignEvent& span, MessageSide side) { exchanges_.push_back({span, side}); }
    /// The device's stream does more than communicate.
    void compute(std::uint32_t thread) { computing_.insert(thread); }

    /// Adds the messages, those within an annotation as its action, and what computes as actions. On a device an action
    /// lasts as its kernels do. On the host it begins when its message is there, and what came before is a wait.
    /// "Forward 3" is an action only where a message lies within such an annotation.
    Status addTo(ForeignTrace& trace, std::uint32_t process);

private:
    struct Annotated {
        PipelineName name;
        ForeignEvent span;
        std::uint64_t external = 0;
        bool device = false;
    };
    struct Exchange {
        ForeignEvent span;
        MessageSide side = MessageSide::Unknown;
    };
    /// The action that the message is part of; none: it lies in no annotation that says so.
    std::optional<PipelineName> messageOf(const Exchange& exchange) const;
    Status addMessages(ForeignTrace& trace);
    /// When the message that was received last before the end of `span` was there; its begin where that is not within.
    std::int64_t arrival(const Action& message, const Event& span) const;

    std::vector<Annotated> annotated_;
    std::vector<Exchange> exchanges_;
    std::set<std::uint32_t> computing_;
    std::map<ActionId, std::map<std::int64_t, std::int64_t>> received_;  ///< ends by begins, of each receive
    bool unnamedMessages_ = false;                                       ///< some lie within "Forward 3"
};

}  // namespace shardlab::trace
