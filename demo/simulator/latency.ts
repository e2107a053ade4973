/** Latency as a lognormal distribution, in milliseconds: its median and the standard deviation of its logarithm. */
export interface Latency {
  median: number;
  sigma: number;
}

/** Standard normal distribution function; Abramowitz and Stegun 7.1.26, error below 1e-7. */
export function normalCdf(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const polynomial = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const erf = 1 - polynomial * Math.exp(-x * x);
  return z >= 0 ? (1 + erf) / 2 : (1 - erf) / 2;
}

/** Share of requests that take longer than `limit` ms. */
export function shareAbove({ median, sigma }: Latency, limit: number): number {
  return 1 - normalCdf((Math.log(limit) - Math.log(median)) / sigma);
}

/** Mean of the distribution, each request counted with at most `cap` ms (a time-out). */
export function meanUpTo({ median, sigma }: Latency, cap: number): number {
  const mu = Math.log(median);
  const z = (Math.log(cap) - mu) / sigma;
  return Math.exp(mu + (sigma * sigma) / 2) * normalCdf(z - sigma) + cap * (1 - normalCdf(z));
}

/** Variance of the distribution, each request counted with at most `cap` ms. */
export function varianceUpTo({ median, sigma }: Latency, cap: number): number {
  const mu = Math.log(median);
  const z = (Math.log(cap) - mu) / sigma;
  const second = Math.exp(2 * mu + 2 * sigma * sigma) * normalCdf(z - 2 * sigma) + cap * cap * (1 - normalCdf(z));
  const mean = meanUpTo({ median, sigma }, cap);
  return Math.max(0, second - mean * mean);
}

/** The lognormal with this mean and variance (Fenton's approximation of a sum of latencies). */
export function fromMoments(mean: number, variance: number): Latency {
  const sigma2 = Math.log(1 + variance / (mean * mean));
  return { median: mean / Math.exp(sigma2 / 2), sigma: Math.max(0.05, Math.sqrt(sigma2)) };
}

/** The `q`-quantile of a mixture of latencies, by bisection; weights need not add up to 1. */
export function mixtureQuantile(parts: { weight: number; latency: Latency }[], q: number): number {
  const total = parts.reduce((sum, { weight }) => sum + weight, 0);
  let low = 1e-3;
  let high = 1e7;
  for (let i = 0; i < 60; i++) {
    const middle = Math.sqrt(low * high);
    const below = parts.reduce((sum, { weight, latency }) => sum + weight * (1 - shareAbove(latency, middle)), 0);
    if (below < q * total) low = middle;
    else high = middle;
  }
  return Math.sqrt(low * high);
}
