// SPDX-License-Identifier: Apache-2.0
// How many replicas a run has at the moment, on which devices, and which other numbers it may have
// (layout/elastic_sizes.h). Ranks are numbered twice: among those that were started, and by their place in the whole
// layout's mesh, which is their number in the run file. So a replica that is absent leaves empty lanes, and all others
// keep theirs.
#pragma once

#include "engine/base/result.h"
#include "engine/layout/injected_fault.h"
#include "engine/predict/plan/plan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardlab::launch {

/// Whether a run of this layout, as it was begun, can be asked for so many replicas. Error: why not, and what would be
/// legal.
Status canResize(const Layout& layout, int data);
/// "6 replicas (12 ranks)".
std::string replicasText(const Layout& layout, int data);

/// The plans of all numbers of replicas that an elastic layout may have, the largest first; paced ones are all
/// stretched alike. A layout that is not elastic has its own plan alone.
std::vector<Plan> plansOfSizes(const Plan& plan);

class ElasticWorld {
public:
    /// Begins with all of the layout's replicas, on all of its devices.
    explicit ElasticWorld(const Plan& plan);

    bool elastic() const { return sizes_.size() > 1; }
    int replicas() const { return now_.parallel.data; }
    int ranks() const { return mesh_.ranks(); }
    const std::vector<int>& sizes() const { return sizes_; }
    const Layout& whole() const { return whole_; }
    const Layout& now() const { return now_; }
    /// The rank's number in the run file.
    int placeOf(int rank) const { return rank >= 0 && rank < ranks() ? places_[static_cast<std::size_t>(rank)] : rank; }
    /// Whether some rank's two numbers differ.
    bool renumbered() const;
    /// Numbers in the run file of ranks that are absent, ascending.
    std::vector<int> absent() const;

    /// The faults of ranks that were started, by their number among the started ones; `faults` number ranks as the run
    /// file does.
    std::vector<InjectedFault> started(std::span<const InjectedFault> faults) const;

    /// The device of a started rank is not used again until more replicas are asked for than the others can hold.
    void lose(int rank);
    /// No device of the host is used again until then either; false: it had none left.
    bool loseHost(const std::string& name);
    /// The largest number of replicas, not above the present one, that what is left can hold; none: too few are left.
    std::optional<int> largestLeft() const;
    /// Takes an admissible number of replicas, and returns what they are to do. Where the devices that are left are too
    /// few for it, all of the layout's count again.
    Result<Plan> resize(int data);

private:
    Layout whole_;
    Measurements measurements_;
    double stretch_;          ///< of the whole layout; paced, all sizes have it, so that fewer are seen to take longer
    std::vector<int> sizes_;  ///< admissible numbers of replicas, descending
    std::vector<HostSpec> hosts_;  ///< what is left of the layout's hosts
    Layout now_;
    Mesh wholeMesh_, mesh_;
    std::vector<int> places_;  ///< by started rank
};

}  // namespace shardlab::launch
