/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * coeffs.json ("schema": "calib-coeffs/1"): the contract between fitting and editing.
 *
 * The least that is accepted has per cluster a name, a match and the coefficient; all
 * else is optional, and what is absent stays absent (has_* false, counts 0). Unknown and
 * duplicate keys are refused at every level, so that a misspelt key is never a silent
 * no-op.
 */
#ifndef LIB_COEFFS_H
#define LIB_COEFFS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"

#define COEFFS_SCHEMA	    "calib-coeffs/1"
#define COEFFS_MAX_CLUSTERS 16
#define COEFFS_MAX_MATCH    64
#define COEFFS_MAX_TERMS    16
#define COEFFS_MAX_OPPS	    128
#define COEFFS_MAX_FILES    64
#define COEFFS_MAX_BOARDS   64
#define COEFFS_MAX_NOTES    32
#define COEFFS_MAX_LOADS    16
#define COEFFS_TEXT	    256
#define COEFFS_MAX_UW	    1e12	/* a megawatt */
#define COEFFS_MAX_BYTES    (16u << 20) /* of the file */

/*
 * Which CPU nodes: with several keys a node must satisfy all of them. An empty match (a
 * fit of somebody's CSV knows no CPUs) is readable and matches no node: whoever edits a
 * tree refuses it.
 */
struct coeffs_match {
	char compatible[64];		   /* "" : any */
	uint64_t reg[COEFFS_MAX_MATCH];	   /* the CPU nodes' reg (MPIDR, hart id) */
	unsigned int reg_count;		   /* 0: any */
	char paths[COEFFS_MAX_MATCH][128]; /* full node paths, or "&label" */
	unsigned int path_count;	   /* 0: any */
};

/* One fitted term of the power model. */
struct coeffs_term {
	char name[32];
	char unit[32];
	double value;
	bool has_se;
	double se;
};

struct coeffs_model {
	char name[64]; /* "within-opp", "intercept", ... */
	struct coeffs_term terms[COEFFS_MAX_TERMS];
	unsigned int term_count;
	uint32_t n; /* rows used */
	double dof; /* of the t interval */
	bool has_r2;
	double r2; /* centred unless the model has no intercept (then r2_uncentred is
		      true) */
	bool r2_uncentred;
	double rmse_pct;     /* relative to the fitted power */
	double loo_rmse_pct; /* leave one OPP out; negative: not computed */
	double condition;    /* of the column-scaled design */
};

#define COEFFS_MAX_WARNINGS 16

/* How much a term's error grows for what it has in common with the others. */
struct coeffs_vif {
	char name[32];
	double value;
};

/* What the rows say about the model; NAN and "" where it could not be computed. */
struct coeffs_diagnostics {
	double r2_centred, r2_about_zero;
	double se_classical, se_hc3, se_clustered, dof_clustered; /* of the coefficient */
	bool has_bootstrap;
	double bootstrap_ci95[2];
	struct coeffs_vif vif[COEFFS_MAX_TERMS];
	unsigned int vif_count;
	double leverage_mean, leverage_max;
	double cook_max, estimate_without; /* the row of the largest Cook's distance */
	double student_max, student_p;
	char leverage_row[COEFFS_TEXT], cook_row[COEFFS_TEXT], student_row[COEFFS_TEXT];
	double lack_f, lack_dof, pure_dof, lack_p, lack_pct;
	double drift_uw, drift_p; /* over the run */
	double heat_uw, heat_p;	  /* per kelvin */
	double slope, slope_p;	  /* of the coefficient, lowest to highest OPP */
	double theil_sen, huber, bisquare;
	double static_pct; /* of one CPU's power at the lowest OPP */
	char left_out[COEFFS_MAX_WARNINGS][COEFFS_TEXT]; /* and why */
	unsigned int left_out_count;
	char warnings[COEFFS_MAX_WARNINGS][COEFFS_TEXT];
	unsigned int warning_count;
};

struct coeffs_opp {
	uint64_t hz;
	uint32_t microvolt;
	bool has_measured;
	double measured_uw,
		measured_ci_uw; /* one busy CPU above idle, and half its 95 % interval */
	bool has_next;		/* one more busy CPU, the cluster being awake */
	double next_uw, next_ci_uw;
	bool has_model;
	double model_uw;       /* what the fitted model says for the same thing */
	uint64_t kernel_uw;    /* what the kernel will compute from the coefficient
				  (models/kernel_em) */
	bool inefficient;      /* by the kernel's current rule */
	uint64_t effective_uw; /* the same of the effective coefficient; 0: none */
	bool has_error;
	double error_pct; /* kernel_uw against measured_uw */
	uint64_t opp_uw;  /* "opp-microwatt": what may be shipped in place of the
			     coefficient, one CPU's dynamic power; 0: none */
	uint64_t full_uw; /* "opp-microwatt-full": its share of all that is metered with
			     all CPUs busy; 0: none */
	bool opp_inefficient; /* by the current rule with opp_uw */
	double work_per_mhz;  /* of one CPU and second, in the load's units; 0: unknown */
	bool has_own;
	double own, own_se; /* coefficient from this OPP's rows; own_se 0: none */
	bool has_prediction;
	double prediction_uw[2]; /* 95 % of new measurements of measured_uw */
};

/* One board of several: its own C, or why it has none. */
struct coeffs_board {
	char name[COEFFS_TEXT];
	bool used;
	double estimate, stderr_;
	double off; /* "off-by": standard deviations from what the others predict */
	bool outlying;
	char left_out[COEFFS_TEXT]; /* not used: why */
};

/* Several boards of one kind: estimate and ci95 of the cluster are those of their mean.
 */
struct coeffs_boards {
	uint32_t n;	    /* boards in the mean */
	uint32_t outlying;  /* of them */
	uint32_t left_out;  /* beside them */
	double between_pct; /* "between-pct": their standard deviation over their mean */
	double between_pct95[2];
	double new95[2]; /* "new-board95": where the C of one more board is */
	struct coeffs_board each[COEFFS_MAX_BOARDS]; /* all, or those with something amiss
							first */
	unsigned int each_count;
};

struct coeffs_file {
	char path[COEFFS_TEXT];
	char sha256[65];
};

struct coeffs_provenance {
	struct coeffs_file files[COEFFS_MAX_FILES];
	unsigned int file_count;
	char sensor[COEFFS_TEXT];
	char load[COEFFS_TEXT]; /* or a mix: "int=0.6,dram=0.4" */
	char formula[COEFFS_TEXT];
	char scope[16]; /* "rail", "package" or "device" */
	bool has_baseline;
	int64_t baseline_uw; /* subtracted before the fit */
	char command[COEFFS_TEXT];
	char notes[COEFFS_MAX_NOTES][COEFFS_TEXT]; /* rows excluded and why, warnings */
	unsigned int note_count;
};

/* What one load makes of the coefficient. */
struct coeffs_load {
	char name[32];
	double weight; /* in the mix that is shipped; 0: not in it */
	double estimate;
	bool has_interval;
	double stderr_, ci95[2];
};

struct coeffs_cluster {
	char name[32];
	struct coeffs_match match;
	uint32_t dpc_uw_per_mhz_v2; /* "dynamic-power-coefficient": the integer to ship,
				       never 0 */
	bool has_interval;
	double estimate, stderr_, ci95[2];
	bool has_capacity;
	uint32_t capacity_dmips_mhz;
	bool has_capacity_ci;
	double capacity_ci95[2];
	bool has_effective;
	double effective; /* "effective-power-coefficient": through origin, static power
			     included */
	bool has_model;
	struct coeffs_model model;
	bool has_boards;
	struct coeffs_boards boards;
	struct coeffs_opp opps[COEFFS_MAX_OPPS]; /* ascending hz */
	unsigned int opp_count;
	bool has_diagnostics;
	struct coeffs_diagnostics diagnostics;
	struct coeffs_load loads[COEFFS_MAX_LOADS];
	unsigned int load_count; /* 0: only one was fitted */
	bool has_provenance;
	struct coeffs_provenance provenance;
};

struct coeffs_check {
	char name[64];
	bool ok;
	char text[COEFFS_TEXT];
};

/* About 2 MB: allocate it with coeffs_new(), not on the stack. */
struct coeffs {
	char generator[64]; /* "" when unknown */
	char board[128];    /* root compatible of the machine, "" when unknown */
	bool virtual_board; /* "virtual": true: made by the virtual board */
	struct coeffs_cluster clusters[COEFFS_MAX_CLUSTERS];
	unsigned int cluster_count;
	struct coeffs_check checks[COEFFS_MAX_NOTES];
	unsigned int check_count;
};

/* Zeroed; NULL when out of memory. The caller frees it with coeffs_free(), which takes
 * NULL. */
struct coeffs *coeffs_new(void);
void coeffs_free(struct coeffs *c);

/*
 * coeffs_read - read and check a file ("-" is stdin)
 *
 * Returns 0, -errno, or -EINVAL with "FILE: clusters[0]: key 'dynamic-power-coefficient':
 * null is not a whole number in 1..4294967295" and the like. Two clusters of one name are
 * refused.
 */
int coeffs_read(const char *path, struct coeffs *c, struct err *err);
/* The same from memory; @name stands for the file in messages. */
int coeffs_parse(const char *text, size_t len, const char *name, struct coeffs *c,
		 struct err *err);
/* coeffs_write - write it, reals rounded to 6 significant digits. 0, the -errno of
 * writing, -ENOMEM, -EINVAL. */
int coeffs_write(const struct coeffs *c, FILE *f, struct err *err);

/* What a match looks at, of one CPU node. */
struct coeffs_cpu {
	const char *path;
	const char *opp_path; /* of its OPP table; NULL: none */
	const char *map_path; /* of what names it in /cpus/cpu-map; NULL: nothing */
	const char *const *compatibles;
	unsigned int compatible_count;
	bool has_reg;
	uint64_t reg; /* first entry */
};

/* Is this the CPU node's path, its OPP table's, or of a cpu-map node that it is in? */
bool coeffs_is_path_of(const char *path, const struct coeffs_cpu *cpu);
/* Does the CPU node belong to the cluster? */
bool coeffs_match_cpu(const struct coeffs_match *m, const struct coeffs_cpu *cpu);
/*
 * coeffs_resolve_labels - put paths in the place of "&label" in all matches
 * @path_of: the path of a label ("cpu0"), to be freed; NULL when there is none
 *
 * Returns 0, or -ENOENT "cluster 'a7': no label 'cpu0' is known ...".
 */
int coeffs_resolve_labels(struct coeffs *c,
			  char *(*path_of)(const void *arg, const char *label),
			  const void *arg, struct err *err);

#endif
