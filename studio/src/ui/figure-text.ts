const STEPS: ReadonlyArray<readonly [at: number, unit: string]> = [
  [1e12, 'TB'],
  [1e9, 'GB'],
  [1e6, 'MB'],
  [1e3, 'kB'],
]

/** Bytes in the unit that suits them. */
export function bytesText(bytes: number): string {
  for (const [at, unit] of STEPS) if (bytes >= at) return `${short(bytes / at)} ${unit}`
  return `${Math.round(bytes)} B`
}

/** A duration in the unit that suits it. */
export function secondsText(seconds: number): string {
  if (seconds >= 1 || seconds === 0) return `${short(seconds)} s`
  if (seconds >= 1e-3) return `${short(seconds * 1e3)} ms`
  return `${short(seconds * 1e6)} µs`
}

/** A count with separators, as people of the browser's language write it. */
export function countText(count: number): string {
  return new Intl.NumberFormat(undefined, { maximumFractionDigits: count < 10 ? 1 : 0 }).format(
    count,
  )
}

function short(value: number): string {
  return new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 }).format(value)
}
