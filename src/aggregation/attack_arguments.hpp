// The z of "a little is enough".
//
// Threads: any; these are functions of their arguments.
#pragma once

namespace trainyard {

/// Φ⁻¹(p) of the standard normal distribution, to a few units of the last place; 0 of ½ exactly.
/// REQUIRES: 0 ≤ p ≤ 1; of 0 and 1 it is ∓40.
double normal_quantile(double p);

/// Φ⁻¹((n − f − s)/(n − f)), with s = ⌊n/2 + 1⌋ − f honest workers that the liars need on their
/// side to be a majority: so far from the mean may a lie be that as many of the honest are farther
/// (Baruch et al. 2019). REQUIRES: f < n.
double little_enough(int workers, int liars);

}  // namespace trainyard
