/**
 * Which rows of an import differ from what was imported before. A row is what Ingest SQL yields for one
 * component and time; it is unchanged when each of its values is the one last imported into its stream, in
 * the order of times within the import too.
 */
import { hashSecret } from '../../base/index.ts'
import {
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../../feed/index.ts'
import type { GatheredSamples } from './gathered-samples.ts'
import { type RunStreams, streamKey } from './run-streams.ts'
import type { SampleBlock } from './sample-block.ts'

/** The value last imported into each stream, by `streamKey`, as text. */
export type ImportedValues = ReadonlyMap<string, string>

/** What was found of the rows of an import. */
interface JudgedRows {
  /** Whether a row changed, by its number in the order of components and times. */
  isChanged(row: number): boolean
  readonly rowsIngested: number
  readonly rowsSkipped: number
  /** What was imported last from here on, of streams that have something else than before. */
  readonly imported: ImportedValues
}

/** Longer texts are remembered by their hash. */
const TEXT_KEPT_MAX = 60

/** Numbers rows as samples come in order: a row is over when another component or time comes. */
export class RowCounter {
  #row = -1
  #component = -1
  #time = Number.NaN

  /** The number of the row of the next sample. */
  rowOf(component: number, time: number): number {
    if (component !== this.#component || time !== this.#time) {
      this.#row += 1
      this.#component = component
      this.#time = time
    }
    return this.#row
  }

  get count(): number {
    return this.#row + 1
  }
}

/** Looks at all rows. */
export async function judgeRows(
  samples: GatheredSamples,
  streams: RunStreams,
  known: ImportedValues,
): Promise<JudgedRows> {
  const judge = new RowJudge(streams, known)
  const rows = new RowCounter()
  await samples.each((block, at) => {
    const stream = block.streams[at]
    const row = rows.rowOf(streams.componentOf[stream], samples.timeOf(block, at))
    judge.take(row, stream, valueText(block, at))
  })
  return judge.end()
}

/** Notes what is imported last where no row is left out, as samples come in order. */
export class LastValues {
  readonly #streams: RunStreams
  readonly #values = new Map<number, string>()

  constructor(streams: RunStreams) {
    this.#streams = streams
  }

  note(block: SampleBlock, at: number): void {
    this.#values.set(block.streams[at], valueText(block, at))
  }

  end(): ImportedValues {
    const entries = [...this.#values].map(([stream, value]): [string, string] => {
      const { compId, streamId } = this.#streams.list[stream]
      return [streamKey(compId, streamId), value]
    })
    return new Map(entries)
  }
}

class RowJudge {
  readonly #streams: RunStreams
  readonly #known: ImportedValues
  readonly #imported = new Map<string, string>()
  /** Of several values of one stream at one time the last is stored. */
  readonly #values = new Map<number, string>()
  #changed = new Uint8Array(1_024)
  #row = -1
  #ingested = 0

  constructor(streams: RunStreams, known: ImportedValues) {
    this.#streams = streams
    this.#known = known
  }

  take(row: number, stream: number, value: string): void {
    if (row !== this.#row) {
      this.#decide()
      this.#row = row
    }
    this.#values.set(stream, value)
  }

  end(): JudgedRows {
    this.#decide()
    const changed = this.#changed
    return {
      isChanged: (row) => (changed[row >> 3] & (1 << (row & 7))) !== 0,
      ...{ rowsIngested: this.#ingested, rowsSkipped: this.#row + 1 - this.#ingested },
      imported: this.#imported,
    }
  }

  #decide(): void {
    if (this.#row < 0) return
    let isChanged = false
    for (const [stream, value] of this.#values) {
      const key = this.#keyOf(stream)
      isChanged ||= (this.#imported.get(key) ?? this.#known.get(key)) !== value
    }
    if (isChanged) {
      for (const [stream, value] of this.#values) this.#imported.set(this.#keyOf(stream), value)
      this.#ingested += 1
      this.#mark(this.#row)
    }
    this.#values.clear()
  }

  #keyOf(stream: number): string {
    const { compId, streamId } = this.#streams.list[stream]
    return streamKey(compId, streamId)
  }

  #mark(row: number): void {
    if (row >> 3 >= this.#changed.length) {
      const longer = new Uint8Array(2 * (row >> 3))
      longer.set(this.#changed)
      this.#changed = longer
    }
    this.#changed[row >> 3] |= 1 << (row & 7)
  }
}

function valueText({ kinds, numbers, texts }: SampleBlock, at: number): string {
  const text = texts?.[at] ?? ''
  switch (kinds[at]) {
    case VALUE_NUMBER:
      return `n${numbers[at]}`
    case VALUE_LONG_NUMBER:
      return Number.isSafeInteger(numbers[at]) ? `n${numbers[at]}` : `n${text}`
    case VALUE_TEXT:
      return text.length > TEXT_KEPT_MAX ? `h${hashSecret(text)}` : `t${text}`
    case VALUE_TRUE:
    case VALUE_FALSE:
      return kinds[at] === VALUE_TRUE ? 'true' : 'false'
    default:
      return 'null'
  }
}
