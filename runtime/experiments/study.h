// SPDX-License-Identifier: MIT
//
// An experiment of the papers: algorithms in many settings on the problems of many maps. The work is
// cut into jobs that any number of threads do in any order; the results are put in the order of the
// jobs, so that they do not depend on the threads. What is finished is written down at once, and a
// study that was interrupted can go on from there.
#pragma once

#include <stdio.h>

#include "generate.h"
#include "grid.h"
#include "parallel.h"
#include "problems.h"
#include "race.h"

/// Under which diagonal rules a study walks. The first two have the numbers of the rules.
typedef enum wm_study_rules {
    WM_STUDY_NO_SQUEEZING = WM_DIAGONAL_NONE,
    WM_STUDY_SQUEEZING = WM_DIAGONAL_SQUEEZE,
    WM_STUDY_BOTH_RULES,
    WM_STUDY_PAPERS_RULES, ///< The experiment's own choice.
} wm_study_rules;

/// By number, as on the command line; the experiment's own choice has no name. Ended by NULL.
extern const char* const wm_study_rules_names[];

typedef struct wm_study_options {
    const char* maps; ///< Folder with the families of the MovingAI benchmarks; NULL for none.
    const char* out;  ///< Folder for what it writes, made if it is not there.
    double scale;     ///< Share of the paper's problems; 1 for all.
    uint64_t seed;
    unsigned threads;
    wm_study_rules rules;
    bool resume;
    wm_progress progress; ///< May be NULL. False interrupts.
    void* progress_context;
} wm_study_options;

/// One map of a study, with its problems.
typedef struct wm_study_map {
    char name[128];
    int family; ///< Of the experiment's own numbering.
    wm_map* map;
    wm_problems problems;
    uint32_t* batch; ///< Per problem, where the experiment puts them into batches; else NULL.
} wm_study_map;

/// One algorithm in one world.
typedef struct wm_study_setting {
    char label[96];
    char spec[96];
    wm_terrain terrain;
    wm_heuristic heuristic;
    unsigned families; ///< Mask of the families whose maps it walks; 0 for all.
    double x;          ///< What the experiment varies, for its report.
    double y;
} wm_study_setting;

/// One walk.
typedef struct wm_study_result {
    uint32_t map;
    uint32_t setting;
    uint32_t problem;
    wm_race_outcome outcome;
    double optimal;
    double cost;
    uint64_t moves;
    uint64_t waits;        ///< Steps without a move.
    uint64_t search_steps; ///< Steps with expansions.
    uint64_t expansions;
    uint64_t max_expansions_per_move;
    uint64_t back_moves;
    uint64_t non_optimal_moves;
    uint64_t numbers;      ///< Stored in its database, as the papers count them; 0 without one.
    uint64_t stored_bytes; ///< Of that database, as a file has them.
    uint64_t plan_ns;
    uint64_t plan_ns_max; ///< Of a step; 0 where steps are not timed one by one.
    uint64_t build_ns;    ///< Of the database.
} wm_study_result;

typedef struct wm_study_results {
    wm_study_result* list;
    size_t count;
    size_t capacity;
} wm_study_results;

typedef struct wm_study wm_study;

/// What makes an experiment. One file each, and a line in experiments.c.
typedef struct wm_experiment {
    const char* name;
    const char* summary;      ///< One line for `waymark-run experiment --help`.
    wm_diagonal diagonal;     ///< The rule under which our numbers stand beside the paper's.
    wm_study_rules rules;     ///< Both where the paper does not say which it has.
    const char* why_diagonal; ///< A sentence for the report.
    bool needs_no_maps;       ///< Makes its own and reads none.
    /// Adds settings.
    wm_status (*plan)(wm_study* study, wm_error* error);
    /// Adds maps, with problems, of the study's present diagonal rule. Called for each rule.
    wm_status (*add_maps)(wm_study* study, wm_error* error);
    /// Walks problems `first` to `end` of a map in all settings.
    wm_status (*walk)(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                      wm_study_results* results, wm_error* error);
    /// Writes results.csv; NULL where a result is one walk, as usual.
    void (*write_results)(const wm_study* study, FILE* out);
    /// Writes what report.md has of one diagonal rule, and the plots; the study is that rule's.
    wm_status (*report)(const wm_study* study, FILE* out, wm_error* error);
} wm_experiment;

/// Ended by NULL.
extern const wm_experiment* const wm_experiments[];

struct wm_study {
    const wm_experiment* experiment;
    wm_study_options options;
    wm_study_map* maps;
    uint32_t map_count;
    size_t map_capacity;
    wm_study_setting* settings;
    uint32_t setting_count;
    size_t setting_capacity;
    wm_diagonal diagonal;      ///< Of the maps that are being added or reported.
    uint32_t first_map;        ///< Of that rule.
    uint32_t problems_per_job; ///< Set by the plan; default 4.
    wm_study_results results;  ///< When all is done, by map, problem and setting.
};

/// Plans, walks, and writes results.csv and report.md. Interrupted, it keeps what is finished.
wm_status wm_study_run(const wm_experiment* experiment, const wm_study_options* options,
                       wm_error* error);

/// How many of the paper's `count` there are at the study's scale: one at least.
size_t wm_study_scaled(const wm_study* study, size_t count);
/// Adds a setting. @return WM_OK, WM_ERR_MEMORY or what the SPEC has wrong
wm_status wm_study_add_setting(wm_study* study, const wm_study_setting* setting, wm_error* error);
/// Adds a map and takes map and problems over, also where it fails.
wm_status wm_study_add_map(wm_study* study, const char* name, int family, wm_map* map,
                           wm_problems* problems, wm_error* error);
/// A seed for the problems of the map to be added: the same under both rules, others for other maps.
uint64_t wm_study_map_seed(const wm_study* study);
/// Calls `visit` for every map file of `maps`/`folder`, in the order of their names.
/// @param found  gets how many there are; none is no error
typedef wm_status (*wm_study_visit)(wm_study* study, const char* folder, const char* file,
                                    void* context, wm_error* error);
wm_status wm_study_each_map(wm_study* study, const char* folder, wm_study_visit visit,
                            void* context, size_t* found, wm_error* error);

/// Which maps of a folder belong to a family of the papers.
typedef struct wm_study_family {
    const char* folder;
    int32_t side;              ///< Of its maps, which are squares.
    const char* const* titles; ///< Of its files, without .map, ended by NULL; NULL for all.
} wm_study_family;

/// Adds the maps of a family, with `count` random problems each. Other seeds for other maps.
/// @param found  gets how many there are; none is no error
wm_status wm_study_add_family(wm_study* study, const wm_study_family* family, int number,
                              size_t count, size_t* found, wm_error* error);

/// A map to be generated, a square.
typedef struct wm_study_recipe {
    wm_generate_kind kind;
    int32_t side;
    int32_t density; ///< These two as in wm_generate_options.
    int32_t grain;
} wm_study_recipe;

/// Adds a generated map with `count` random problems. Its name says how it was made.
wm_status wm_study_add_generated(wm_study* study, const wm_study_recipe* recipe, int family,
                                 uint64_t seed, size_t count, wm_error* error);
bool wm_study_is_generated(const wm_study_map* map);
/// The usual walk: every setting on every problem, known terrain or not, without a database.
wm_status wm_study_walk(const wm_study* study, uint32_t map, uint32_t first, uint32_t end,
                        wm_study_results* results, wm_error* error);
wm_status wm_study_keep(wm_study_results* results, const wm_study_result* result);
wm_study_result wm_study_result_of(uint32_t map, uint32_t setting, uint32_t problem,
                                   const wm_race_run* run);
/// Whether a setting walks the maps of a family.
bool wm_study_applies(const wm_study_setting* setting, int family);

/// What can be averaged over walks.
typedef enum wm_study_measure {
    WM_STUDY_COST,
    WM_STUDY_SUBOPTIMALITY, ///< In percent.
    WM_STUDY_MOVES,
    WM_STUDY_EXPANSIONS,
    WM_STUDY_EXPANSIONS_PER_MOVE,
    WM_STUDY_SEARCH_STEPS,
    WM_STUDY_WAITS,
    WM_STUDY_MILLISECONDS,
    WM_STUDY_NON_OPTIMAL_MOVES,
    WM_STUDY_BACK_MOVES,
    WM_STUDY_UNSOLVED, ///< 1 where the goal was not reached.
    WM_STUDY_SIZE,     ///< Stored numbers over cells of the map.
    WM_STUDY_STORED_BYTES,
    WM_STUDY_STORED_SIZE, ///< These by the bytes of the map's file, which has one a cell.
    WM_STUDY_BUILD_SECONDS,
} wm_study_measure;

/// The mean over all walks of a setting on the maps of a family; -1 for all families.
double wm_study_mean(const wm_study* study, int family, uint32_t setting, wm_study_measure measure);
/// The longest step of all those walks, in milliseconds.
double wm_study_longest_step(const wm_study* study, int family, uint32_t setting);
