/** What a migration has done, in a file of one JSON object a line: the migration itself, then each finished series. */
import { appendFileSync, createReadStream, existsSync, statSync, truncateSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { refuse } from '../base/index.ts'

/** Entries of each kind that are listed; all are counted, and in the file. */
const LISTED_MAX = 20

/** From where to where a migration goes. */
interface Route {
  readonly from: string
  readonly to: string
}

/** What became of a series. */
export interface SeriesOutcome {
  readonly series: string
  /** Values in InfluxDB. */
  readonly points: number
  /** Samples that Weir keeps of them: one for each millisecond. */
  readonly samples: number
  /** Values that another one of the same millisecond has replaced. */
  readonly shared: number
  /** Integers beyond 2^53, which a double cannot hold. */
  readonly rounded: number
  /** Why lines were rejected, and how many for each reason. */
  readonly rejected: Readonly<Record<string, number>>
  /** What is not the same on both sides. */
  readonly differing: readonly string[]
}

/** All finished series together. */
class MigrationTotals {
  series = 0
  points = 0
  samples = 0
  replacedInSameMillisecond = 0
  rounded = 0
  rejected = 0
  differing = 0
  readonly differences: string[] = []
  readonly rejections: string[] = []
  readonly sharedMilliseconds: string[] = []

  add({ series, points, samples, shared, rounded, rejected, differing }: SeriesOutcome): void {
    this.series += 1
    this.points += points
    this.samples += samples
    this.replacedInSameMillisecond += shared
    this.rounded += rounded
    this.differing += differing.length
    for (const difference of differing) list(this.differences, `${series} ${difference}`)
    for (const [reason, count] of Object.entries(rejected)) {
      this.rejected += count
      list(this.rejections, `${series}: ${reason} (${count} lines)`)
    }
    if (shared > 0) list(this.sharedMilliseconds, `${series}: ${shared} values`)
  }
}

function list(entries: string[], entry: string): void {
  if (entries.length < LISTED_MAX) entries.push(entry)
}

/** The finished series of a migration. */
export class MigrationProgress {
  readonly totals = new MigrationTotals()
  readonly #path: string
  readonly #done = new Set<string>()

  private constructor(path: string) {
    this.#path = path
  }

  /** Opens the file of a migration, or begins it; refuses the file of another one. */
  static async open(path: string, route: Route): Promise<MigrationProgress> {
    const progress = new MigrationProgress(path)
    if (!existsSync(path) || !(await progress.#read(route))) progress.#append(route)
    return progress
  }

  has(series: string): boolean {
    return this.#done.has(series)
  }

  add(outcome: SeriesOutcome): void {
    this.#append(outcome)
    this.#note(outcome)
  }

  /** False if the file says nothing yet. */
  async #read({ from, to }: Route): Promise<boolean> {
    const size = statSync(this.#path).size
    let [bytes, isBegun] = [0, false]
    for await (const line of createInterface({ input: createReadStream(this.#path) })) {
      const end = bytes + Buffer.byteLength(line) + 1
      // A kill in the middle of a line leaves a part of it.
      if (end > size) break
      bytes = end
      const entry = readEntry(this.#path, line)
      if (isBegun) this.#note(entry as SeriesOutcome)
      else requireRoute(this.#path, entry as Route, { from, to })
      isBegun = true
    }
    if (bytes < size) truncateSync(this.#path, bytes)
    return isBegun
  }

  #note(outcome: SeriesOutcome): void {
    this.#done.add(outcome.series)
    this.totals.add(outcome)
  }

  #append(entry: object): void {
    // Readline takes these two for ends of lines.
    const line = JSON.stringify(entry).replace(/[\u2028\u2029]/g, (end) =>
      end === '\u2028' ? '\\u2028' : '\\u2029',
    )
    appendFileSync(this.#path, `${line}\n`)
  }
}

function requireRoute(path: string, found: Route, { from, to }: Route): void {
  if (found.from === from && found.to === to) return
  refuse('conflict', {
    what: `${path} belongs to the migration from ${found.from} to ${found.to}. Use another --progress file, or delete it`,
  })
}

function readEntry(path: string, line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    const { message } = error as Error
    refuse('bad_input', { what: `${path} is no progress file of a migration: ${message}` })
  }
}
