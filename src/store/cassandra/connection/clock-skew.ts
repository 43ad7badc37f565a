/** How far the clock of a process may be off the cluster's. */
export const SKEW_MS_MAX = 2_000

/** How far the clocks of two processes may be apart: each may be off to its own side. */
export const APART_MS_MAX = 2 * SKEW_MS_MAX
