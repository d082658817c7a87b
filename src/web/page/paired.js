// Whether several seeds bear out that one contestant takes longer than another: the geometric mean of
// their ratios within each seed, with a 95 % interval by Student's t of the logarithms.

/** t(d, 0.975) of 1 to 30 degrees of freedom (any table of the distribution has them) */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
  2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/**
 * Beyond the table by the first terms of its expansion in 1/d (Abramowitz & Stegun 26.7.5).
 * @param {number} degrees of freedom
 */
export function student_quantile(degrees) {
  const z = 1.959964;
  return quantiles[degrees - 1] ?? z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}

/**
 * Of y / x, which have one value a seed, in the same order; null of less than two.
 * @param {number[]} x @param {number[]} y above 0
 * @returns {{mean: number, low: number, high: number, is_borne_out: boolean} | null}
 */
export function paired_ratio(x, y) {
  const count = x.length;
  if (count < 2 || y.length !== count) return null;
  const logarithms = x.map((value, at) => Math.log(y[at] / value));
  const mean = logarithms.reduce((sum, one) => sum + one, 0) / count;
  const squares = logarithms.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const half_width = student_quantile(count - 1) * Math.sqrt(squares / (count - 1) / count);
  const low = Math.exp(mean - half_width), high = Math.exp(mean + half_width);
  return {mean: Math.exp(mean), low, high, is_borne_out: low > 1 || high < 1};
}
