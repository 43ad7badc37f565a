/** Longest query, in characters. Queries of dashboards stay below 10,000. */
export const PROMQL_CHARS_MAX = 65_536

/** Deepest nesting of a query. Its evaluation is recursive, so deeper queries could exhaust the stack. */
export const PROMQL_DEPTH_MAX = 300

/** Longest value of a label that a query makes: four times that of a stored label. */
export const PROMQL_LABEL_CHARS_MAX = 16_384

/** Most points of one series in an answer, as in Prometheus. */
export const PROMQL_POINTS_MAX = 11_000

/** Most samples in memory for one query: the default of Prometheus. A sample has 9 to 16 bytes. */
export const PROMQL_SAMPLES_MAX = 50_000_000

/** Most samples that one read of the port may bring. */
export const PROMQL_READ_SAMPLES_MAX = 262_144

/** How long a sample stands for the time after it, when its series has no lookback of its own. */
export const PROMQL_LOOKBACK_MS = 300_000

/** The step of a subquery that names none: the default evaluation interval of Prometheus. */
export const PROMQL_SUBQUERY_STEP_MS = 60_000
