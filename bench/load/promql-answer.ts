import { sendOnce } from './connection.ts'

/** Points of each series of an answer, by its labels. */
export type PromqlAnswer = ReadonlyMap<string, readonly (readonly [time: number, value: number])[]>

/** How far two services may differ: sums of doubles depend on the order of additions. */
const TOLERANCE = 1e-9

type Point = readonly [time: number, value: string]

interface Element {
  readonly metric: Readonly<Record<string, string>>
  readonly value?: Point
  readonly values?: readonly Point[]
}

/** Asks once and reads the answer. */
export async function readPromql(port: number, request: Buffer): Promise<PromqlAnswer> {
  const { status, body } = await sendOnce({ port }, request)
  const text = body.toString('utf8')
  if (status !== 200) throw new Error(`${status}: ${text.slice(0, 500)}`)
  const { data } = JSON.parse(text) as { data: { result: Element[] } }
  return new Map(
    data.result.map(({ metric, value, values }) => [
      keyOf(metric),
      (values ?? (value === undefined ? [] : [value])).map(([time, number]) => [
        time,
        Number(number),
      ]),
    ]),
  )
}

/** VictoriaMetrics adds the database of the URL as a label, and keeps the names of metrics. */
function keyOf(metric: Readonly<Record<string, string>>): string {
  const labels = Object.entries(metric).filter(([name]) => name !== 'db' && name !== '__name__')
  return JSON.stringify(labels.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Fails where two answers differ. */
export function requireEqual(mine: PromqlAnswer, other: PromqlAnswer, about: string): void {
  if (mine.size !== other.size) {
    throw new Error(`${about}: ${mine.size} series instead of ${other.size}`)
  }
  for (const [key, wanted] of other) {
    const found = mine.get(key) ?? []
    if (found.length !== wanted.length) {
      throw new Error(`${about}: ${key} has ${found.length} points instead of ${wanted.length}`)
    }
    for (const [at, [time, value]] of wanted.entries()) {
      const [foundTime, foundValue] = found[at]
      const isClose = Math.abs(foundValue - value) <= TOLERANCE * Math.abs(value)
      if (foundTime !== time || !isClose) {
        throw new Error(`${about}: ${key} has ${found[at]} instead of ${wanted[at]}`)
      }
    }
  }
}
