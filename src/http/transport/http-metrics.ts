import type { Registry } from 'prom-client'

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Routes are patterns and statuses few, so this is only met when a mistake makes them many. */
const SERIES_MAX = 5_000

interface Series {
  readonly labels: string
  readonly buckets: Float64Array
  count: number
  sumSeconds: number
}

/**
 * Counts requests and their duration by method, route and status. Kept by hand because a counter of
 * the metrics library costs more per call than the whole authentication of a feed PUT.
 */
export class HttpMetrics {
  readonly #series = new Map<string, Series>()

  /** Adds one answered request. */
  observe(request: { method: string; route: string; status: number; seconds: number }): void {
    const { method, route, status, seconds } = request
    const key = `${method} ${status} ${route}`
    const series = this.#series.get(key) ?? this.#add(key, request)
    if (series === undefined) return
    series.count += 1
    series.sumSeconds += seconds
    for (let at = 0; at < BUCKETS_S.length; at += 1) {
      if (seconds <= BUCKETS_S[at]) series.buckets[at] += 1
    }
  }

  /** All counts in Prometheus' text format. */
  text(): string {
    const name = 'weir_http_request_duration_seconds'
    const lines = [
      `# HELP ${name} Time from the request's head to the end of the answer.`,
      `# TYPE ${name} histogram`,
    ]
    for (const { labels, buckets, count, sumSeconds } of this.#series.values()) {
      for (let at = 0; at < BUCKETS_S.length; at += 1) {
        lines.push(`${name}_bucket{${labels},le="${BUCKETS_S[at]}"} ${buckets[at]}`)
      }
      lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
      lines.push(`${name}_sum{${labels}} ${sumSeconds}`, `${name}_count{${labels}} ${count}`)
    }
    const total = 'weir_http_requests_total'
    lines.push(`# HELP ${total} Requests answered.`, `# TYPE ${total} counter`)
    for (const { labels, count } of this.#series.values())
      lines.push(`${total}{${labels}} ${count}`)
    return `${lines.join('\n')}\n`
  }

  #add(
    key: string,
    request: { method: string; route: string; status: number },
  ): Series | undefined {
    if (this.#series.size >= SERIES_MAX) return undefined
    const escaped = request.route.replace(/[\\"\n]/g, '_')
    const labels = `method="${request.method}",route="${escaped}",status="${request.status}"`
    const buckets = new Float64Array(BUCKETS_S.length)
    const series: Series = { labels, buckets, count: 0, sumSeconds: 0 }
    this.#series.set(key, series)
    return series
  }
}

/** The text of a whole scrape: our own counts, then those of the library's registry. */
export async function metricsText(http: HttpMetrics, registry: Registry): Promise<string> {
  return http.text() + (await registry.metrics())
}
