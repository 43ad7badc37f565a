/**
 * Which rows of an import differ from what was imported before. A row is what Ingest SQL yields for one
 * component and time; it is unchanged when each of its values is the one last imported into its stream, in
 * the order of times within the import too.
 */
import { type EpochMs, hashSecret, nextTurn } from '../../base/index.ts'
import {
  IncomingSamples,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from '../../feed/index.ts'

/** The value last imported into each stream, by `streamKey`, as `valueText` writes it. */
export type ImportedValues = ReadonlyMap<string, string>

/** What is left of an import. */
export interface ChangedRows {
  /** The samples of rows that changed. */
  readonly samples: IncomingSamples
  readonly rowsIngested: number
  readonly rowsSkipped: number
  /** What was imported last from here on, of streams that have something else than before. */
  readonly imported: ImportedValues
}

/** Longer texts are remembered by their hash. */
const TEXT_KEPT_MAX = 60
/** Samples looked at before others have their turn. */
const SAMPLES_PER_TURN = 20_000

/** How a stream is named in what is remembered. */
function streamKey(compId: string, streamId: string): string {
  return `${compId}\u0000${streamId}`
}

/** Chooses the rows that changed; a sample without a time has the time of the run. */
export async function chooseChanged(
  samples: IncomingSamples,
  known: ImportedValues,
  now: EpochMs,
): Promise<ChangedRows> {
  const { keyOf, byComponent } = groupByComponent(samples)
  const imported = new Map<string, string>()
  const isKept = new Uint8Array(samples.count)
  const timeOf = (index: number) => {
    const time = samples.times[index]
    return Number.isNaN(time) ? now : time
  }
  let rowsIngested = 0
  let rowsSkipped = 0
  let looked = 0
  for (const indexes of byComponent.values()) {
    sortByTime(indexes, timeOf)
    for (let from = 0; from < indexes.length; ) {
      let until = from + 1
      while (until < indexes.length && timeOf(indexes[until]) === timeOf(indexes[from])) until += 1
      // Of several values of one stream at one time the last is stored.
      const row = new Map<string, string>()
      for (let at = from; at < until; at += 1) {
        row.set(keyOf[indexes[at]], valueText(samples, indexes[at]))
      }
      const isChanged = [...row].some(
        ([key, value]) => (imported.get(key) ?? known.get(key)) !== value,
      )
      if (isChanged) {
        rowsIngested += 1
        for (const [key, value] of row) imported.set(key, value)
        for (let at = from; at < until; at += 1) isKept[indexes[at]] = 1
      } else rowsSkipped += 1
      from = until
    }
    looked += indexes.length
    if (looked > SAMPLES_PER_TURN) {
      looked = 0
      await nextTurn()
    }
  }
  const kept = rowsSkipped === 0 ? samples : onlyKept(samples, isKept)
  return { samples: kept, rowsIngested, rowsSkipped, imported }
}

function groupByComponent(samples: IncomingSamples): {
  readonly keyOf: readonly string[]
  readonly byComponent: ReadonlyMap<string, number[]>
} {
  const keyOf: string[] = new Array(samples.count)
  const byComponent = new Map<string, number[]>()
  for (const { compId = '', streamId = '', samples: indexes } of samples.open) {
    const key = streamKey(compId, streamId)
    const own = byComponent.get(compId) ?? []
    if (own.length === 0) byComponent.set(compId, own)
    for (const index of indexes) {
      keyOf[index] = key
      own.push(index)
    }
  }
  return { keyOf, byComponent }
}

/** By time, then in the order they came. */
function sortByTime(indexes: number[], timeOf: (index: number) => number): void {
  indexes.sort((a, b) => timeOf(a) - timeOf(b) || a - b)
}

function valueText(samples: IncomingSamples, index: number): string {
  const text = samples.texts?.[index] ?? ''
  switch (samples.kinds[index]) {
    case VALUE_NUMBER:
      return `n${samples.numbers[index]}`
    case VALUE_LONG_NUMBER:
      return Number.isSafeInteger(samples.numbers[index])
        ? `n${samples.numbers[index]}`
        : `n${text}`
    case VALUE_TEXT:
      return text.length > TEXT_KEPT_MAX ? `h${hashSecret(text)}` : `t${text}`
    case VALUE_TRUE:
    case VALUE_FALSE:
      return samples.kinds[index] === VALUE_TRUE ? 'true' : 'false'
    default:
      return 'null'
  }
}

/** The samples that are kept, in their order, for the same streams. */
function onlyKept(samples: IncomingSamples, isKept: Uint8Array): IncomingSamples {
  const kept = new IncomingSamples()
  const placeOf = new Uint32Array(samples.count)
  for (let index = 0; index < samples.count; index += 1) {
    placeOf[index] = kept.count
    if (isKept[index] === 0) continue
    const text = samples.texts?.[index]
    const value = { kind: samples.kinds[index], number: samples.numbers[index], text }
    kept.add(0, samples.times[index], value)
  }
  kept.form = samples.form
  kept.runs = samples.runs.map(({ from, name }) => ({ name, from: placeOf[from] ?? kept.count }))
  for (const target of samples.open) {
    const own = target.samples.filter((index) => isKept[index] === 1)
    if (own.length > 0) kept.open.push({ ...target, samples: own.map((index) => placeOf[index]) })
  }
  return kept
}
