/**
 * Samples on their way from the thread that reads an unusual long body. A clone of a million texts
 * would be made in one go on the main thread; packed as bytes they are unpacked with turns for others.
 */
import { nextIteration } from '../../base/plain.ts'
import { IncomingSamples, type OpenTarget } from '../../feed/plain.ts'

/** Texts and indexes unpacked, and bytes copied, before other calls get a turn. */
const ITEMS_PER_SLICE = 16_384
const BYTES_PER_SLICE = 2 * 1024 * 1024
const TARGETS_PER_SLICE = 2_048

/** Open targets: what they say as JSON, some in each text, and how many samples each has, and which. */
interface PackedTargets {
  readonly slices: readonly string[]
  readonly counts: Uint32Array
  readonly indexes: Uint32Array
}

/** The texts of samples, one behind the other. */
interface PackedTexts {
  readonly length: number
  readonly indexes: Uint32Array
  readonly lengths: Uint32Array
  readonly bytes: Uint8Array
}

/** Samples as columns only, which are handed from thread to thread without a copy. */
export interface PackedSamples
  extends Pick<
    IncomingSamples,
    'count' | 'handles' | 'times' | 'numbers' | 'kinds' | 'form' | 'isNumeric' | 'isTimed'
  > {
  readonly texts: PackedTexts | undefined
  readonly open: PackedTargets
}

/** Packs samples, whose columns must not be used any more, and lists what may be transferred. */
export function packSamples(samples: IncomingSamples): {
  readonly packed: PackedSamples
  readonly transfer: ArrayBuffer[]
} {
  const { count, handles, times, numbers, kinds, form, isNumeric, isTimed } = samples
  const texts = samples.texts === undefined ? undefined : packTexts(samples.texts)
  const open = packTargets(samples.open)
  const columns = [handles, times, numbers, kinds, open.counts, open.indexes]
  if (texts !== undefined) columns.push(texts.indexes, texts.lengths, texts.bytes)
  return {
    packed: { count, handles, times, numbers, kinds, form, isNumeric, isTimed, texts, open },
    transfer: columns.map(({ buffer }) => buffer as ArrayBuffer),
  }
}

function packTargets(open: readonly OpenTarget[]): PackedTargets {
  const slices: string[] = []
  for (let from = 0; from < open.length; from += TARGETS_PER_SLICE) {
    const slice = open.slice(from, from + TARGETS_PER_SLICE)
    slices.push(JSON.stringify(slice.map(({ samples: _, ...target }) => target)))
  }
  const counts = Uint32Array.from(open, ({ samples }) => samples.length)
  const indexes = new Uint32Array(counts.reduce((sum, count) => sum + count, 0))
  let end = 0
  for (const { samples } of open) {
    indexes.set(samples, end)
    end += samples.length
  }
  return { slices, counts, indexes }
}

function packTexts(texts: ReadonlyArray<string | undefined>): PackedTexts {
  const indexes: number[] = []
  let byteLength = 0
  texts.forEach((text, index) => {
    if (text === undefined) return
    indexes.push(index)
    byteLength += Buffer.byteLength(text, 'utf8')
  })
  const bytes = Buffer.from(new ArrayBuffer(byteLength))
  let end = 0
  const lengths = Uint32Array.from(indexes, (index) => {
    const length = bytes.write(texts[index] ?? '', end, 'utf8')
    end += length
    return length
  })
  return { length: texts.length, indexes: Uint32Array.from(indexes), lengths, bytes }
}

/** The samples that were packed. */
export async function unpackSamples({
  texts,
  open,
  ...columns
}: PackedSamples): Promise<IncomingSamples> {
  const samples = Object.assign(new IncomingSamples(), columns)
  if (texts !== undefined) samples.texts = await unpackTexts(texts)
  samples.open = await unpackTargets(open)
  return samples
}

async function unpackTargets({ slices, counts, indexes }: PackedTargets): Promise<OpenTarget[]> {
  const open: OpenTarget[] = []
  let end = 0
  for (const slice of slices) {
    for (const target of JSON.parse(slice) as Omit<OpenTarget, 'samples'>[]) {
      const count = counts[open.length]
      open.push({ ...target, samples: await unpackIndexes(indexes.subarray(end, end + count)) })
      end += count
    }
    await nextIteration()
  }
  return open
}

async function unpackTexts({
  length,
  indexes,
  lengths,
  bytes,
}: PackedTexts): Promise<(string | undefined)[]> {
  const texts = new Array<string | undefined>(length)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let end = 0
  let sliceEnd = BYTES_PER_SLICE
  for (let at = 0; at < indexes.length; at++) {
    texts[indexes[at]] = buffer.toString('utf8', end, end + lengths[at])
    end += lengths[at]
    if (at % ITEMS_PER_SLICE !== ITEMS_PER_SLICE - 1 && end < sliceEnd) continue
    sliceEnd = end + BYTES_PER_SLICE
    await nextIteration()
  }
  return texts
}

async function unpackIndexes(indexes: Uint32Array): Promise<number[]> {
  const list: number[] = []
  for (let at = 0; at < indexes.length; at++) {
    list.push(indexes[at])
    if (at % ITEMS_PER_SLICE === ITEMS_PER_SLICE - 1) await nextIteration()
  }
  return list
}

/** A copy of bytes that can be handed to another thread, made with turns for other calls. */
export async function copyBytes(bytes: Uint8Array): Promise<Uint8Array> {
  const copy = new Uint8Array(bytes.length)
  for (let at = 0; at < bytes.length; at += BYTES_PER_SLICE) {
    if (at > 0) await nextIteration()
    copy.set(bytes.subarray(at, at + BYTES_PER_SLICE), at)
  }
  return copy
}
