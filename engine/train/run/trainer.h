// SPDX-License-Identifier: Apache-2.0
// One rank of a run: sets up its part of the layout, trains, validates and obeys commands. It knows neither MPI nor the
// launcher.
#pragma once

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/train/comm/communicator.h"
#include "engine/train/model/parameter.h"
#include "engine/predict/plan/step_plan.h"
#include "engine/trace/record/flight_record.h"
#include "engine/trace/record/recorder.h"
#include "engine/trace/record/status_page.h"
#include "engine/train/run/fault_injector.h"
#include "kernels/device.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace shardlab::train {

/// The services that a trainer needs; all must outlive it.
struct TrainerServices {
    Communicator& world;
    Recorder& recorder;
    StatusPage* status = nullptr;    ///< may be null
    FlightRecord* flight = nullptr;  ///< may be null
    std::function<bool(int step, const Action& send)>
        loses;                             ///< for tests: whether a message is never sent; may be empty
    std::function<void()> settle;          ///< returns once everything recorded would survive the process; may be empty
    FaultInjector* faults = nullptr;       ///< injects the layout's faults; may be null
    std::function<Command()> takeCommand;  ///< on rank 0; may be empty
    std::function<void(const std::string& text)> inform;  ///< shows people a line of text; may be empty
    std::function<void(const std::string& text)> warn;    ///< shows people what went wrong; may be empty
    std::filesystem::path checkpoints;                    ///< the folder for checkpoints; empty: none are taken
    std::filesystem::path resume;                         ///< a checkpoint to go on from; empty: from the beginning
    Device* device = nullptr;                             ///< the device that computes; null: the processor
    FileSystem* files = nullptr;  ///< where checkpoints are written; null: the machine's own disk
    bool coresFree = false;       ///< each rank has a core: a wait of a paced run may spin at its end
    int operationsEvery = 0;      ///< steps from one to the next whose operations are recorded; 0: none are
    std::function<std::uint32_t(const std::string& name)>
        naming;  ///< gives a name of events its number (namedId); needed where operations are recorded
};

class Trainer {
    class Impl;

public:
    /// Makes a trainer that carries out the lowered lists of `plan`; a paced run takes the times of its costs.
    /// Collective over the world. Errors: those of the data and of the checkpoint to go on from.
    static Result<std::unique_ptr<Trainer>> create(const StepPlan& plan, TrainerServices services);
    explicit Trainer(std::unique_ptr<Impl> impl);
    ~Trainer();

    /// Trains to the last step or until a command stops the run. Returns "finished" or "stopped".
    std::string run();

    /// Steps that were done before this part of the run.
    std::int64_t firstStep() const;

    /// Visits this rank's weights, stage by stage, as layers read them; with ZeRO 3 its shards (Parameter::flatBegin).
    void visitParameters(const std::function<void(int stage, const Parameter&, std::span<const float> values)>& visit);

private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace shardlab::train
