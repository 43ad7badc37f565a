/** Prometheus' text format, read as far as the health page needs it. */
export type Metrics = ReadonlyMap<string, number>

/** Figures by name with labels, as they are written: `weir_storage_bytes{part="journal"}`. */
export function readMetrics(text: string): Metrics {
  const found = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const at = line.lastIndexOf(' ')
    found.set(line.slice(0, at), Number(line.slice(at + 1)))
  }
  return found
}

/** The sum over all labels of a name. */
export function sumOf(metrics: Metrics, name: string, holding = ''): number {
  let sum = 0
  for (const [key, value] of metrics) {
    if (key !== name && !key.startsWith(`${name}{`)) continue
    if (key.includes(holding)) sum += value
  }
  return sum
}

/** A share of the durations that a histogram gained between two looks, as the bound of its bucket; undefined: none. */
export function quantileOf(
  share: number,
  name: string,
  { now, before, without }: { now: Metrics; before: Metrics | undefined; without?: string },
): number | undefined {
  const counts = new Map<number, number>()
  for (const [key, value] of now) {
    if (!key.startsWith(`${name}_bucket{`)) continue
    if (without !== undefined && key.includes(without)) continue
    const bound = /le="([^"]+)"/.exec(key)?.[1] ?? ''
    const at = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)
    counts.set(at, (counts.get(at) ?? 0) + value - (before?.get(key) ?? 0))
  }
  const rising = [...counts].sort(([a], [b]) => a - b)
  const total = rising.at(-1)?.[1] ?? 0
  if (total <= 0) return undefined
  return rising.find(([, count]) => count >= total * share)?.[0]
}
