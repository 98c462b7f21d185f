// SPDX-License-Identifier: MIT
#include "study.h"

// One line an experiment: its file defines wm_experiment_<name>.
#define EXPERIMENTS(X)                                                                             \
    X(knn_table1)                                                                                  \
    X(prta)                                                                                        \
    X(select_map)                                                                                  \
    X(select_problem)                                                                              \
    X(select_space)                                                                                \
    X(tb_dynamic)                                                                                  \
    X(tb_static)

#define DECLARE(name) extern const wm_experiment wm_experiment_##name;
#define REFER(name) &wm_experiment_##name,

EXPERIMENTS(DECLARE)
const wm_experiment* const wm_experiments[] = {EXPERIMENTS(REFER) NULL};
