import { DurationCounts, histogramHead, type MetricRow, metricText } from '../../base/index.ts'

const BOUNDS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]

/** Ways that lead to a count are remembered; routes are patterns, so there are some hundreds. */
const WAYS_MAX = 5_000

/** The kind of a route: few values, so that metrics stay short. */
const CALLS: ReadonlyArray<readonly [pattern: RegExp, call: string]> = [
  [/^\/api\/feed$/, 'feed_put'],
  [/\/feed\/file/, 'file'],
  [/^\/api\/comp(?:onent)?\/.*\/(?:feed|last_value|stat)(?:\/|$)/, 'feed_get'],
  [/^\/api\/comp\/.*\/property/, 'property'],
  [/^\/(?:alt|\.well-known)\/|oauth/, 'oauth'],
  [/^\/api\/conn_sink/, 'sink'],
  [/^\/api\/live$/, 'live'],
  [/^\/api\//, 'admin'],
  [/^\/(?:healthz|readyz|metrics)$/, 'health'],
  [/^unmatched$/, 'unmatched'],
]

/** The labels that separate requests. */
interface Way {
  readonly method: string
  readonly route: string
  readonly status: number
}

/** One answered request. */
interface AnsweredRequest extends Way {
  readonly seconds: number
  /** The code of the error that was answered. */
  readonly code: string | undefined
}

interface Count {
  readonly call: string
  readonly status: number
  count: number
  readonly durations: DurationCounts
}

/**
 * Counts requests by the kind of call and status, their durations by call, and refusals by their code.
 * Kept by hand because a counter of the metrics library costs more per call than the whole
 * authentication of a feed PUT.
 */
export class HttpMetrics {
  readonly #ways = new Map<string, Count>()
  /** The way of the last request: most are like the one before, and making its text costs more than counting. */
  #last: (Way & { readonly count: Count }) | undefined
  readonly #counts = new Map<string, Count>()
  readonly #durations = new Map<string, DurationCounts>()
  readonly #refusals = new Map<string, { call: string; code: string; count: number }>()

  /** Adds one answered request. */
  observe(request: AnsweredRequest): void {
    const { status } = request
    const found = this.#find(request)
    found.count += 1
    found.durations.add(request.seconds)
    if (status >= 400) this.#refuse(found.call, request)
  }

  #find(request: AnsweredRequest): Count {
    const { method, route, status } = request
    const last = this.#last
    if (last?.route === route && last.status === status && last.method === method) return last.count
    const way = `${method} ${status} ${route}`
    const count = this.#ways.get(way) ?? this.#countFor(way, request)
    this.#last = { method, route, status, count }
    return count
  }

  /** All counts in Prometheus' text format. */
  text(): string {
    const durations = 'weir_http_request_duration_seconds'
    const head = histogramHead(
      durations,
      'Time from the request headers to the end of the response.',
    )
    const lines = [...this.#durations].map(([call, counts]) =>
      counts.lines(durations, `call="${call}"`),
    )
    const requests = [...this.#counts.values()].map(
      ({ call, status, count }): MetricRow => [`call="${call}",status="${status}"`, count],
    )
    const refusals = [...this.#refusals.values()]
    const rows = refusals.map(
      ({ call, code, count }): MetricRow => [`call="${call}",code="${code}"`, count],
    )
    const throttled = refusals.filter(({ code }) => code === THROTTLED)
    const throttledCount = throttled.reduce((sum, { count }) => sum + count, 0)
    return [
      metricText(
        'weir_http_requests_total',
        'counter',
        'Requests by method, status, and route.',
        requests,
      ),
      head,
      ...lines,
      metricText('weir_refusals_total', 'counter', 'Error responses by code.', rows),
      metricText(
        'weir_throttled_calls_total',
        'counter',
        'Requests rejected by a rate limit.',
        throttledCount,
      ),
    ].join('')
  }

  #countFor(way: string, { method, route, status }: AnsweredRequest): Count {
    const call = callOf(method, route)
    const key = `${call} ${status}`
    const durations = this.#durations.getOrInsertComputed(call, () => new DurationCounts(BOUNDS_S))
    const count = this.#counts.get(key) ?? { call, status, count: 0, durations }
    this.#counts.set(key, count)
    if (this.#ways.size < WAYS_MAX) this.#ways.set(way, count)
    return count
  }

  #refuse(call: string, { status, code = `status_${status}` }: AnsweredRequest): void {
    const key = `${call} ${code}`
    const found = this.#refusals.getOrInsertComputed(key, () => ({ call, code, count: 0 }))
    found.count += 1
  }
}

/** The code of calls beyond a rate limit. */
const THROTTLED = 'rate_limited'

function callOf(method: string, route: string): string {
  const call = CALLS.find(([pattern]) => pattern.test(route))?.[1] ?? 'page'
  const isRemoval = method === 'DELETE' && call === 'feed_get'
  const isUpload = method === 'PUT' && call === 'file'
  if (isRemoval) return 'feed_delete'
  return call === 'file' ? (isUpload ? 'file_put' : 'file_get') : call
}
