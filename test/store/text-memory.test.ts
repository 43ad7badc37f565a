/** Texts are counted where they are read: who waits for memory holds none of them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { epochMs } from '../../src/base/index.ts'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import type { SampleStore, TextMemory } from '../../src/store/index.ts'
import { batch, stream } from '../contract/sample-store-contract.ts'

/** So long that a row of samples.db has one, or a few. */
const LENGTH = 200_000
const TEXTS = 40
const textAt = (at: number): string => String.fromCharCode(97 + (at % 26)).repeat(LENGTH)

type Place = 'in the head' | 'sealed'
const PLACES: readonly Place[] = ['in the head', 'sealed']

async function openWithTexts(context: TestContext, place: Place) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-texts-'))
  const store = await openSampleStore({ folder })
  context.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  for (let at = 0; at < TEXTS; at += 1) await store.append(batch([[1, at, textAt(at)]]))
  if (place === 'sealed') await store.sealAll()
  return store
}

/** Memory that grows on request, and remembers the request. */
class ManualMemory implements TextMemory {
  bytes = 0
  peakBytes = 0
  isRoom = true
  readonly #bytesMax: number
  #admit: (() => void) | undefined

  constructor(bytesMax = Number.POSITIVE_INFINITY) {
    this.#bytesMax = bytesMax
  }

  /** Who waits; undefined while nobody does. */
  get admit(): (() => void) | undefined {
    return this.#admit
  }

  resize(bytes: number): Promise<void> | undefined {
    if (bytes > this.#bytesMax) throw new Error('too many bytes')
    this.peakBytes = Math.max(this.peakBytes, bytes)
    if (bytes <= this.bytes || this.isRoom) {
      this.bytes = bytes
      return undefined
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#admit = () => {
      this.bytes = bytes
      this.#admit = undefined
      resolve()
    }
    return promise
  }
}

const rangeOf = (store: SampleStore, limit: number, memory: TextMemory) =>
  store.range(stream(1), {
    from: epochMs(0),
    until: epochMs(TEXTS),
    limit,
    memory,
    order: 'latest_first',
  })

const edges = Float64Array.from({ length: TEXTS + 1 }, (_, at) => at)

for (const place of PLACES) {
  test(`range(), latest() and fold() count the texts that they give out, ${place}`, async (t) => {
    const store = await openWithTexts(t, place)
    const read = new ManualMemory()
    const { texts } = await rangeOf(store, 10, read)
    assert.deepEqual(
      texts,
      Array.from({ length: 10 }, (_, at) => textAt(TEXTS - 1 - at)),
    )
    assert.equal(read.bytes, 10 * LENGTH)
    const latest = new ManualMemory()
    const [last] = await store.latest([stream(1)], { memory: latest })
    assert.deepEqual([last?.value, latest.bytes], [textAt(TEXTS - 1), LENGTH])
    const folded = new ManualMemory()
    const { first } = await store.fold(stream(1), edges, folded)
    assert.equal(first[3], textAt(3))
    assert.ok(folded.bytes >= TEXTS * LENGTH, `${folded.bytes} bytes`)
  })

  test(`a read that waits for memory goes on from what is there then, ${place}`, async (t) => {
    const store = await openWithTexts(t, place)
    const reads = [
      (memory: TextMemory) => rangeOf(store, TEXTS, memory).then(({ texts }) => texts?.[0]),
      (memory: TextMemory) =>
        store.latest([stream(1)], { memory }).then(([sample]) => sample?.value),
      (memory: TextMemory) =>
        store.fold(stream(1), edges, memory).then(({ last }) => last[TEXTS - 1]),
    ]
    for (const [at, read] of reads.entries()) {
      const memory = new ManualMemory()
      memory.isRoom = false
      const reading = read(memory)
      while (memory.admit === undefined) await new Promise((resolve) => setImmediate(resolve))
      // It held nothing while it waited, so it finds what came meanwhile.
      await store.append(batch([[1, TEXTS - 1, `another ${at}`]]))
      memory.isRoom = true
      memory.admit()
      assert.equal(await reading, `another ${at}`)
      await store.append(batch([[1, TEXTS - 1, textAt(TEXTS - 1)]]))
    }
  })
}

test('a read with a small limit counts a part of the runs only', async (t) => {
  const store = await openWithTexts(t, 'sealed')
  for (const order of ['latest_first', 'oldest_first'] as const) {
    const memory = new ManualMemory()
    const query = { from: epochMs(0), until: epochMs(TEXTS), limit: 2, memory, order } as const
    const { times } = await store.range(stream(1), query)
    assert.deepEqual([...times], order === 'latest_first' ? [TEXTS - 1, TEXTS - 2] : [0, 1])
    assert.ok(memory.peakBytes < 12 * LENGTH, `${order}: ${memory.peakBytes} bytes`)
  }
})

test('a read that memory refuses rejects, and reads of times need none', async (t) => {
  const store = await openWithTexts(t, 'sealed')
  await assert.rejects(rangeOf(store, TEXTS, new ManualMemory(LENGTH)), /too many bytes/)
  await assert.rejects(store.fold(stream(1), edges, new ManualMemory(LENGTH)), /too many bytes/)
  const memory = new ManualMemory(0)
  const { count, times, texts } = await store.range(stream(1), {
    from: epochMs(0),
    until: epochMs(TEXTS),
    limit: TEXTS,
    memory,
    order: 'oldest_first',
    isTimesOnly: true,
  })
  assert.deepEqual([count, times[7], texts], [TEXTS, 7, undefined])
  const [last] = await store.latest([stream(1)], { isTimesOnly: true, memory })
  assert.equal(last?.time, TEXTS - 1)
})
