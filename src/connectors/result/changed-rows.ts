/**
 * Finds the rows of an import that differ from what was imported before. A row holds the values that Ingest SQL yields
 * for one component and time. It is unchanged when each value equals the one last imported into its stream, taken in
 * the order of time.
 */
import { hashSecret } from '../../base/index.ts'
import {
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../../feed/index.ts'
import type { GatheredSamples } from './gathered-samples.ts'
import { type RunStreams, streamKey } from './run-streams.ts'
import type { SampleBlock } from './sample-block.ts'
import type { StreamForm, StreamForms } from './stream-forms.ts'

/** The value last imported into each stream, by `streamKey`, as text. */
export type ImportedValues = ReadonlyMap<string, string>

type FormsOf = Pick<StreamForms, 'of'>

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
  { known, forms }: { readonly known: ImportedValues; readonly forms: FormsOf },
): Promise<JudgedRows> {
  const judge = new RowJudge(streams, known, forms)
  const rows = new RowCounter()
  await samples.each((block, at) => {
    const stream = block.streams[at]
    const row = rows.rowOf(streams.componentOf[stream], samples.timeOf(block, at))
    judge.take(row, stream, valueText(block, at, forms.of(stream)))
  })
  return judge.end()
}

/** Notes what is imported last where no row is left out, as samples come in order. */
export class LastValues {
  readonly #streams: RunStreams
  readonly #forms: FormsOf
  readonly #values = new Map<number, string>()

  constructor(streams: RunStreams, forms: FormsOf) {
    this.#streams = streams
    this.#forms = forms
  }

  note(block: SampleBlock, at: number): void {
    const stream = block.streams[at]
    const value = valueText(block, at, this.#forms.of(stream))
    if (value !== undefined) this.#values.set(stream, value)
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
  readonly #forms: FormsOf
  readonly #imported = new Map<string, string>()
  /** Streams that rows taken before will make. */
  readonly #made = new Set<number>()
  /** Of several values of one stream at one time the last is stored; undefined: none of them is. */
  readonly #values = new Map<number, string | undefined>()
  #changed = new Uint8Array(1_024)
  #row = -1
  #ingested = 0

  constructor(streams: RunStreams, known: ImportedValues, forms: FormsOf) {
    this.#streams = streams
    this.#known = known
    this.#forms = forms
  }

  take(row: number, stream: number, value: string | undefined): void {
    if (row !== this.#row) {
      this.#decide()
      this.#row = row
    }
    this.#values.set(stream, value ?? this.#values.get(stream))
  }

  end(): JudgedRows {
    this.#decide()
    const changed = this.#changed
    return {
      isChanged: (row) => (changed[row >> 3] & (1 << (row & 7))) !== 0,
      rowsIngested: this.#ingested,
      rowsSkipped: this.#row + 1 - this.#ingested,
      imported: this.#imported,
    }
  }

  #decide(): void {
    if (this.#row < 0) return
    let isChanged = false
    for (const [stream, value] of this.#values) {
      isChanged ||= this.#isChange(stream, value)
    }
    if (isChanged) {
      for (const [stream, value] of this.#values) {
        this.#made.add(stream)
        if (value !== undefined) this.#imported.set(this.#keyOf(stream), value)
      }
      this.#ingested += 1
      this.#mark(this.#row)
    }
    this.#values.clear()
  }

  /** A value that its stream leaves out changes nothing, but it makes a stream that is not there. */
  #isChange(stream: number, value: string | undefined): boolean {
    if (value === undefined) return this.#forms.of(stream).isMissing && !this.#made.has(stream)
    const key = this.#keyOf(stream)
    return (this.#imported.get(key) ?? this.#known.get(key)) !== value
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

/** A value as its stream keeps it, as far as that is known; undefined where it leaves it out. */
function valueText(block: SampleBlock, at: number, form: StreamForm): string | undefined {
  const { kinds, numbers, texts } = block
  const text = texts?.[at] ?? ''
  switch (kinds[at]) {
    case VALUE_NUMBER:
      return form.values === 'texts' ? keptText(`${numbers[at]}`) : `n${numbers[at]}`
    case VALUE_LONG_NUMBER:
      if (form.values === 'texts') return keptText(text)
      return Number.isSafeInteger(numbers[at]) ? `n${numbers[at]}` : `n${text}`
    case VALUE_TEXT:
      return form.values === 'numbers' ? keptNumber(text) : keptText(text)
    case VALUE_TRUE:
    case VALUE_FALSE: {
      const word = kinds[at] === VALUE_TRUE ? 'true' : 'false'
      return form.values === 'texts' ? keptText(word) : word
    }
    case VALUE_NULL:
      return form.keepsNull ? 'null' : undefined
    default:
      return 'null'
  }
}

function keptText(text: string): string {
  return text.length > TEXT_KEPT_MAX ? `h${hashSecret(text)}` : `t${text}`
}

/** Texts that are no plain number, or one that a double does not hold to the last digit, are compared as they are. */
function keptNumber(text: string): string {
  const number = /^\s*[-+]?[\d.]/.test(text) ? Number(text) : Number.NaN
  const isExact = Number.isSafeInteger(number) || (Number.isFinite(number) && number % 1 !== 0)
  return isExact ? `n${number}` : keptText(text)
}
