// SPDX-License-Identifier: Apache-2.0
// What a simulation remembers of each rank while it goes through the lists.
#pragma once

#include "engine/predict/plan/event_sink.h"
#include "engine/predict/plan/simulate_actions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace shardlab::predict::simulation {

using Time = double;  ///< seconds; rounded only when events are made of them
inline constexpr Time never = -1;

/// Work of a rank that shares its core with others.
struct Burst {
    Time begin = 0;  ///< not before
    Time left = 0;   ///< on a core of its own
    EventKind kind = EventKind::None;
};

inline constexpr int noNode = -1;  ///< of the step's graph

/// Where a rank stood when it came to the border of a step.
struct Mark {
    Time time;
    Time busy;  ///< until then; updates and stashes too
};

struct PeerLink {
    int peer = 0;
    Time free = 0;
    int node = noNode;  ///< the send that keeps it busy until then
};

/// A moment, and what ends then: the node of the graph and the schedule's action.
struct Moment {
    Time time = 0;
    int node = noNode;
    const Action* action = nullptr;
};

/// What runs beside compute over the data axis.
struct DataLane {
    std::vector<Moment> announced;  ///< for the compute action that follows
    Moment free;                    ///< the last piece's end
    Moment reduced;                 ///< the last reduction's end
    std::array<Moment, 2> slots;    ///< until when the scatter keeps a gradient slot
    std::size_t turn = 0;
    Moment stays;  ///< the same of the gradient that stays between layers
};

/// Copies between a rank's device and its host, which go both ways at a time.
struct HostLink {
    /// What a swapped microbatch keeps, on its way.
    struct Swap {
        const Action* action = nullptr;
        Moment over;
    };
    Moment down;  ///< the last arrival at the host
    Moment up;    ///< the last at the device
    std::vector<Swap> leaving, returning;
    Moment& operator[](ActionKind kind) { return goesToHost(kind) ? down : up; }
};

struct RankState {
    EventSink sink;
    std::size_t position = 0;
    bool stopped = false;  ///< cannot go on by itself, and nobody has made it ready yet
    Time free = 0;         ///< of the compute lane
    int node = noNode;     ///< what keeps the lane busy until then
    int message = noNode;  ///< what brought the action that is next its input
    std::optional<Burst> burst = {};
    Time busy = 0;                     ///< F, B, I, W, R
    Time updating = 0;                 ///< optimizer and stashes
    std::vector<Mark> marks = {};      ///< one a border
    std::vector<PeerLink> links = {};  ///< by receiving rank; a rank has few neighbours
    DataLane data = {};
    HostLink host = {};

    PeerLink& link(int peer) {
        for (PeerLink& each : links)
            if (each.peer == peer) return each;
        return links.emplace_back(PeerLink{peer});
    }
};

/// What a simulation keeps besides its figures.
struct Keep {
    bool events = false;
    StepGraph* graph = nullptr;
    const ActionSeconds* seconds = nullptr;  ///< instead of the costs'
    /// Positions in each rank's list, ascending, at which it takes a mark.
    const std::vector<std::vector<std::size_t>>* borders = nullptr;
};

/// Members of a reduction that have come so far.
struct Gathering {
    int missing = 0;
    Time latest = 0;
    std::vector<std::pair<int, Time>> arrived;
};

}  // namespace shardlab::predict::simulation
