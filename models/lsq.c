// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Least squares on a column-scaled design. All happens in the basis U of the design's
 * left singular vectors, where coefficients are T U'y and every kind of covariance is
 * T Omega T' with a small Omega.
 */
#include "models/lsq.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>

#define MAXC LSQ_MAX_COLS
/* Below this share of the largest singular value a direction is not in the data. */
#define RANK_TOLERANCE 1e-11
/* What is left of a column after the groups' means are gone may be rounding only. */
#define ABSORBED_TOLERANCE 1e-9
#define NEARLY_ONE	   (1 - 1e-9)

struct work {
	const struct lsq_in *in;
	gsl_matrix *u;		    /* rows * cols, orthonormal */
	double *root;		    /* square roots of the weights */
	double *y;		    /* weighted, groups' means taken out */
	double *e;		    /* residuals of that */
	double *group_w;	    /* sum of weights per group */
	double *mean_y, *mean_x;    /* per group; mean_x: groups * cols */
	double to_coef[MAXC][MAXC]; /* T */
	double scale[MAXC];
};

static int alloc_work(struct work *w, const struct lsq_in *in)
{
	size_t g = in->group ? in->groups : 1;

	w->in = in;
	w->u = gsl_matrix_calloc(in->rows, in->cols);
	w->root = calloc(in->rows, sizeof(double));
	w->y = calloc(in->rows, sizeof(double));
	w->e = calloc(in->rows, sizeof(double));
	w->group_w = calloc(g, sizeof(double));
	w->mean_y = calloc(g, sizeof(double));
	w->mean_x = calloc(g * in->cols, sizeof(double));
	return w->u && w->root && w->y && w->e && w->group_w && w->mean_y && w->mean_x
		       ? 0
		       : -ENOMEM;
}

static void free_work(struct work *w)
{
	if (w->u)
		gsl_matrix_free(w->u);
	free(w->root);
	free(w->y);
	free(w->e);
	free(w->group_w);
	free(w->mean_y);
	free(w->mean_x);
}

static int check_input(const struct lsq_in *in, struct err *err)
{
	size_t i;

	if (!in->cols || in->cols > MAXC)
		return err_set(err, -E2BIG, "%u columns are not in 1..%d", in->cols,
			       MAXC);
	for (i = 0; i < in->rows * in->cols; i++)
		if (!isfinite(in->x[i]))
			return err_set(err, -EINVAL,
				       "row %zu of the design is not finite",
				       i / in->cols + 1);
	for (i = 0; i < in->rows; i++) {
		if (!isfinite(in->y[i]))
			return err_set(err, -EINVAL, "value %zu is not finite", i + 1);
		if (in->weight && !(isfinite(in->weight[i]) && in->weight[i] > 0))
			return err_set(err, -EINVAL, "weight %zu is not positive", i + 1);
	}
	return 0;
}

static double weight(const struct lsq_in *in, size_t i)
{
	return in->weight ? in->weight[i] : 1;
}

/* Weighted means of y and of each column, per group. */
static void group_means(struct work *w)
{
	const struct lsq_in *in = w->in;
	size_t i, g;
	unsigned int j;

	for (i = 0; i < in->rows; i++) {
		g = in->group[i];
		w->group_w[g] += weight(in, i);
		w->mean_y[g] += weight(in, i) * in->y[i];
		for (j = 0; j < in->cols; j++)
			w->mean_x[g * in->cols + j] += weight(in, i) *
						       in->x[i * in->cols + j];
	}
	for (g = 0; g < in->groups; g++) {
		if (!(w->group_w[g] > 0))
			continue;
		w->mean_y[g] /= w->group_w[g];
		for (j = 0; j < in->cols; j++)
			w->mean_x[g * in->cols + j] /= w->group_w[g];
	}
}

/* Fill u with the weighted design, groups' means taken out, columns of length 1. */
static void fill_design(struct work *w)
{
	const struct lsq_in *in = w->in;
	double before[MAXC] = { 0 }, after[MAXC] = { 0 };
	size_t i;
	unsigned int j;

	if (in->group)
		group_means(w);
	for (i = 0; i < in->rows; i++) {
		size_t g = in->group ? in->group[i] : 0;

		w->root[i] = sqrt(weight(in, i));
		w->y[i] = w->root[i] * (in->y[i] - w->mean_y[g]);
		for (j = 0; j < in->cols; j++) {
			double x = in->x[i * in->cols + j];
			double v = w->root[i] * (x - w->mean_x[g * in->cols + j]);

			before[j] += w->root[i] * x * w->root[i] * x;
			after[j] += v * v;
			gsl_matrix_set(w->u, i, j, v);
		}
	}
	for (j = 0; j < in->cols; j++) {
		bool gone = !(sqrt(after[j]) > ABSORBED_TOLERANCE * sqrt(before[j]));

		w->scale[j] = gone ? 0 : 1 / sqrt(after[j]);
		for (i = 0; i < in->rows; i++)
			*gsl_matrix_ptr(w->u, i, j) *= w->scale[j];
	}
}

/* u becomes orthonormal, to_coef leads from U'y to the coefficients. */
static int decompose(struct work *w, struct lsq *out, struct err *err)
{
	unsigned int cols = w->in->cols, i, j;
	double space_v[MAXC * MAXC], space_s[MAXC], space_w[MAXC];
	gsl_matrix_view v = gsl_matrix_view_array(space_v, cols, cols);
	gsl_vector_view s = gsl_vector_view_array(space_s, cols);
	gsl_vector_view tmp = gsl_vector_view_array(space_w, cols);

	if (gsl_linalg_SV_decomp(w->u, &v.matrix, &s.vector, &tmp.vector))
		return err_set(err, -EDOM, "the singular values did not converge");
	for (out->rank = 0; out->rank < cols; out->rank++)
		if (!(space_s[out->rank] > RANK_TOLERANCE * space_s[0]))
			break;
	if (out->rank < cols)
		return err_set(err, -EDOM, "rank %u of %u", out->rank, cols);
	out->condition = space_s[0] / space_s[cols - 1];
	out->log_det = 0;
	for (j = 0; j < cols; j++)
		out->log_det += 2 * log(space_s[j] / w->scale[j]);
	for (i = 0; i < cols; i++)
		for (j = 0; j < cols; j++)
			w->to_coef[i][j] = w->scale[i] * space_v[i * cols + j] /
					   space_s[j];
	return 0;
}

/* coef += T U'r, and the residuals that are left: twice, the second polishes. */
static void solve(struct work *w, struct lsq *out)
{
	const struct lsq_in *in = w->in;
	unsigned int j, k;
	size_t i;
	int pass;

	memcpy(w->e, w->y, in->rows * sizeof(double));
	for (pass = 0; pass < 2; pass++) {
		double z[MAXC] = { 0 };

		for (i = 0; i < in->rows; i++)
			for (j = 0; j < in->cols; j++)
				z[j] += gsl_matrix_get(w->u, i, j) * w->e[i];
		for (j = 0; j < in->cols; j++)
			for (k = 0; k < in->cols; k++)
				out->coef[j] += w->to_coef[j][k] * z[k];
		for (i = 0; i < in->rows; i++) {
			const double *x = &in->x[i * in->cols];
			size_t g = in->group ? in->group[i] : 0;
			double fit = 0;

			for (j = 0; j < in->cols; j++)
				fit += out->coef[j] *
				       (x[j] - w->mean_x[g * in->cols + j]);
			w->e[i] = w->y[i] - w->root[i] * fit;
		}
	}
}

static unsigned int used_groups(const struct work *w)
{
	unsigned int g, used = 0;

	for (g = 0; w->in->group && g < w->in->groups; g++)
		used += w->group_w[g] > 0;
	return used;
}

static void per_row(struct work *w, struct lsq *out)
{
	const struct lsq_in *in = w->in;
	double sum_w = 0, mean = 0;
	size_t i;
	unsigned int j;

	for (i = 0; i < in->rows; i++) {
		double h = in->group ? weight(in, i) / w->group_w[in->group[i]] : 0;

		for (j = 0; j < in->cols; j++)
			h += pow(gsl_matrix_get(w->u, i, j), 2);
		out->leverage[i] = h;
		out->resid[i] = w->e[i] / w->root[i];
		out->fitted[i] = in->y[i] - out->resid[i];
		out->rss += w->e[i] * w->e[i];
		out->tss0 += weight(in, i) * in->y[i] * in->y[i];
		mean += weight(in, i) * in->y[i];
		sum_w += weight(in, i);
	}
	mean /= sum_w;
	for (i = 0; i < in->rows; i++)
		out->tss += weight(in, i) * pow(in->y[i] - mean, 2);
	out->resid_dof = (double)in->rows - in->cols - used_groups(w);
}

static double dot(const double *a, const double *b, unsigned int n)
{
	double sum = 0;

	while (n--)
		sum += a[n] * b[n];
	return sum;
}

/* Covariance T Omega T' and standard errors, where Omega is a sum of q q'. */
static void errors_from(const struct work *w, double omega[MAXC][MAXC], struct lsq *out,
			enum lsq_errors kind)
{
	unsigned int n = w->in->cols, i, j, k;

	for (i = 0; i < n; i++) {
		double row[MAXC] = { 0 };

		for (j = 0; j < n; j++)
			for (k = 0; k < n; k++)
				row[j] += w->to_coef[i][k] * omega[k][j];
		for (j = 0; j < n; j++)
			out->cov[kind][i][j] = dot(row, w->to_coef[j], n);
		out->se[kind][i] = sqrt(fmax(out->cov[kind][i][i], 0));
	}
}

static void add_outer(double omega[MAXC][MAXC], const double *q, unsigned int n)
{
	unsigned int j, k;

	for (j = 0; j < n; j++)
		for (k = 0; k < n; k++)
			omega[j][k] += q[j] * q[k];
}

static void classical_errors(const struct work *w, struct lsq *out)
{
	double omega[MAXC][MAXC] = { { 0 } };
	unsigned int j;

	for (j = 0; j < out->cols; j++) {
		omega[j][j] = out->rss / out->resid_dof;
		out->dof[LSQ_CLASSICAL][j] = out->resid_dof;
	}
	errors_from(w, omega, out, LSQ_CLASSICAL);
}

static void hc3_errors(const struct work *w, struct lsq *out)
{
	double omega[MAXC][MAXC] = { { 0 } };
	unsigned int j;
	size_t i;

	for (i = 0; i < out->rows; i++) {
		double q[MAXC];

		/* Alone in its group or for its coefficient: it says nothing on errors.
		 */
		if (out->leverage[i] > NEARLY_ONE)
			continue;
		for (j = 0; j < out->cols; j++)
			q[j] = gsl_matrix_get(w->u, i, j) * w->e[i] /
			       (1 - out->leverage[i]);
		add_outer(omega, q, out->cols);
	}
	for (j = 0; j < out->cols; j++)
		out->dof[LSQ_HC3][j] = out->resid_dof;
	errors_from(w, omega, out, LSQ_HC3);
}

/* One cluster in the basis U: S = U_g' U_g and U_g' e_g. */
struct part {
	double s[MAXC * MAXC];
	double ue[MAXC];
};

/* y = (1 - S)^power x, where S = Q diag(l) Q'; directions with l = 1 are dropped. */
static void shrunk(const gsl_matrix *q, const double *l, double power, const double *x,
		   double *y, unsigned int n)
{
	unsigned int i, k;

	memset(y, 0, n * sizeof(*y));
	for (k = 0; k < n; k++) {
		double dot = 0;

		if (l[k] > NEARLY_ONE)
			continue;
		for (i = 0; i < n; i++)
			dot += gsl_matrix_get(q, i, k) * x[i];
		dot *= pow(1 - fmax(l[k], 0), power);
		for (i = 0; i < n; i++)
			y[i] += gsl_matrix_get(q, i, k) * dot;
	}
}

/* Sums over clusters for the degrees of freedom of one coefficient. */
struct satterthwaite {
	double trace, squares;
	double vv[MAXC][MAXC];
};

struct clustered {
	struct part *parts;
	double omega[MAXC][MAXC];
	struct satterthwaite sat[MAXC];
	double (*loo_shift)[MAXC]; /* per cluster: (1 - S)^-1 U_g' e_g */
};

static void times(const double *s, const double *x, double *y, unsigned int n)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (y[i] = 0, k = 0; k < n; k++)
			y[i] += s[i * n + k] * x[k];
}

/* What cluster @p adds to the degrees of freedom of coefficient @j. */
static void add_satterthwaite(const struct work *w, const struct part *p,
			      const gsl_matrix *q, const double *l,
			      struct satterthwaite *sat, unsigned int j)
{
	unsigned int n = w->in->cols;
	double sl[MAXC], v[MAXC], b[MAXC], aa, vv;

	times(p->s, w->to_coef[j], sl, n);
	shrunk(q, l, -0.5, sl, v, n);
	shrunk(q, l, -1, sl, b, n);
	aa = dot(w->to_coef[j], b, n);
	vv = dot(v, v, n);
	sat->trace += aa - vv;
	sat->squares += aa * aa - 2 * aa * vv;
	add_outer(sat->vv, v, n);
}

static int add_cluster(const struct work *w, struct clustered *c, unsigned int g,
		       gsl_eigen_symmv_workspace *eigen)
{
	unsigned int n = w->in->cols, j;
	double space_s[MAXC * MAXC], space_q[MAXC * MAXC], l[MAXC], out[MAXC];
	gsl_matrix_view s = gsl_matrix_view_array(space_s, n, n);
	gsl_matrix_view q = gsl_matrix_view_array(space_q, n, n);
	gsl_vector_view lv = gsl_vector_view_array(l, n);
	const struct part *p = &c->parts[g];

	memcpy(space_s, p->s, n * n * sizeof(double));
	if (gsl_eigen_symmv(&s.matrix, &lv.vector, &q.matrix, eigen))
		return -EDOM;
	shrunk(&q.matrix, l, -0.5, p->ue, out, n);
	add_outer(c->omega, out, n);
	shrunk(&q.matrix, l, -1, p->ue, c->loo_shift[g], n);
	for (j = 0; j < n; j++)
		add_satterthwaite(w, p, &q.matrix, l, &c->sat[j], j);
	return 0;
}

static void fill_parts(const struct work *w, struct part *parts)
{
	unsigned int n = w->in->cols, j, k;
	size_t i;

	for (i = 0; i < w->in->rows; i++) {
		struct part *p = &parts[w->in->cluster[i]];

		for (j = 0; j < n; j++) {
			double u = gsl_matrix_get(w->u, i, j);

			p->ue[j] += u * w->e[i];
			for (k = 0; k < n; k++)
				p->s[j * n + k] += u * gsl_matrix_get(w->u, i, k);
		}
	}
}

static void finish_clustered(const struct work *w, struct clustered *c, struct lsq *out)
{
	unsigned int n = w->in->cols, j, k;
	size_t i;

	errors_from(w, c->omega, out, LSQ_CLUSTERED);
	for (j = 0; j < n; j++) {
		struct satterthwaite *sat = &c->sat[j];
		double squares = sat->squares;

		for (k = 0; k < n; k++)
			squares += dot(sat->vv[k], sat->vv[k], n);
		out->dof[LSQ_CLUSTERED][j] = squares > 0
						     ? sat->trace * sat->trace / squares
						     : 0;
	}
	for (i = 0; i < w->in->rows; i++) {
		double e = w->e[i];

		for (j = 0; j < n; j++)
			e += gsl_matrix_get(w->u, i, j) *
			     c->loo_shift[w->in->cluster[i]][j];
		out->loo[i] = e / w->root[i];
	}
}

static int clustered_errors(const struct work *w, struct lsq *out)
{
	struct clustered *c = calloc(1, sizeof(*c));
	gsl_eigen_symmv_workspace *eigen = gsl_eigen_symmv_alloc(w->in->cols);
	unsigned int g;
	int ret = -ENOMEM;

	if (!c || !eigen)
		goto out_free;
	c->parts = calloc(w->in->clusters, sizeof(*c->parts));
	c->loo_shift = calloc(w->in->clusters, sizeof(*c->loo_shift));
	if (!c->parts || !c->loo_shift)
		goto out_free;
	fill_parts(w, c->parts);
	for (g = 0, ret = 0; !ret && g < w->in->clusters; g++)
		ret = add_cluster(w, c, g, eigen);
	if (!ret)
		finish_clustered(w, c, out);
out_free:
	if (eigen)
		gsl_eigen_symmv_free(eigen);
	if (c) {
		free(c->parts);
		free(c->loo_shift);
	}
	free(c);
	return ret;
}

static int alloc_out(const struct lsq_in *in, struct lsq *out)
{
	unsigned int i, j;

	memset(out, 0, sizeof(*out));
	out->rows = in->rows;
	out->cols = in->cols;
	for (i = 0; i < LSQ_ERRORS_MAX; i++)
		for (j = 0; j < MAXC; j++)
			out->se[i][j] = NAN;
	out->fitted = calloc(in->rows, sizeof(double));
	out->resid = calloc(in->rows, sizeof(double));
	out->leverage = calloc(in->rows, sizeof(double));
	out->loo = calloc(in->rows, sizeof(double));
	return out->fitted && out->resid && out->leverage && out->loo ? 0 : -ENOMEM;
}

static int fit(struct work *w, struct lsq *out, struct err *err)
{
	int ret;

	fill_design(w);
	ret = decompose(w, out, err);
	if (ret)
		return ret;
	solve(w, out);
	per_row(w, out);
	if (out->resid_dof > 0) {
		classical_errors(w, out);
		hc3_errors(w, out);
	}
	if (w->in->cluster && clustered_errors(w, out))
		return err_set(err, -ENOMEM, "no memory for the clustered errors");
	return 0;
}

int lsq_fit(const struct lsq_in *in, struct lsq *out, struct err *err)
{
	struct work w = { 0 };
	gsl_error_handler_t *handler;
	int ret;

	memset(out, 0, sizeof(*out));
	ret = check_input(in, err);
	if (ret)
		return ret;
	out->cols = in->cols;
	if (in->rows < in->cols) {
		out->rank = in->rows;
		return err_set(err, -EDOM, "rank %u of %u", out->rank, in->cols);
	}
	/* GSL's own handler aborts the program. */
	handler = gsl_set_error_handler_off();
	if (alloc_out(in, out) || alloc_work(&w, in))
		ret = err_set(err, -ENOMEM, "no memory for %zu rows", in->rows);
	else
		ret = fit(&w, out, err);
	free_work(&w);
	gsl_set_error_handler(handler);
	return ret;
}

void lsq_free(struct lsq *f)
{
	free(f->fitted);
	free(f->resid);
	free(f->leverage);
	free(f->loo);
	f->fitted = f->resid = f->leverage = f->loo = NULL;
}

double lsq_t975(double dof)
{
	if (!(dof >= 0.5))
		return INFINITY;
	return gsl_cdf_tdist_Pinv(0.975, dof);
}
