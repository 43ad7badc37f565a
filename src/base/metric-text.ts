/** One value of a metric with its labels, as written between the braces; '' for none. */
export type MetricRow = readonly [labels: string, value: number]

/** A metric in Prometheus' text format. */
export function metricText(
  name: string,
  type: 'counter' | 'gauge',
  help: string,
  rows: number | readonly MetricRow[],
): string {
  const lines = (typeof rows === 'number' ? [['', rows] as const] : rows).map(
    ([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** How often things took how long: one addition for each, added up when it is asked for. */
export class DurationCounts {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  /** The upper bounds, in seconds, ascending. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Array<number>(bounds.length + 1).fill(0)
  }

  add(seconds: number): void {
    let at = 0
    while (at < this.#bounds.length && seconds > this.#bounds[at]) at += 1
    this.#counts[at] += 1
    this.#sum += seconds
  }

  /** The lines of a histogram. */
  lines(name: string, labels = ''): string {
    const before = labels === '' ? '' : `${labels},`
    const own = labels === '' ? '' : `{${labels}}`
    let text = ''
    let total = 0
    for (const [at, count] of this.#counts.entries()) {
      total += count
      text += `${name}_bucket{${before}le="${this.#bounds[at] ?? '+Inf'}"} ${total}\n`
    }
    return `${text}${name}_sum${own} ${this.#sum}\n${name}_count${own} ${total}\n`
  }
}

/** The lines before those of a histogram. */
export function histogramHead(name: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n`
}
