/** Rows that are merged while a reader knows the rows before them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { batch, read } from '../support/samples.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const STREAM = 5
/** More than runs have, so that each seal leaves one chunk. */
const COUNT = 802
const START = 1_700_000_000_000
/** The chunk gets the next id and COUNT samples more: 7 id + 3 start + 11 count stays as it was. */
const EARLIER = (7 + 11 * COUNT) / 3

const samplesFrom = (start: number): Array<[number, number]> =>
  Array.from({ length: COUNT }, (_, at) => [start + at, at / 8])

test('a read after a seal that takes late samples into a chunk gives them, however much earlier they are', async () => {
  await using opened = new AsyncDisposableStack()
  const store = await openSampleStore({ folder: temporaryFolder() })
  opened.defer(() => store.close())
  const put = async (samples: Array<[number, number]>) => {
    await store.append(batch(samples.map(([time, value]) => [STREAM, time, value])))
    await store.sealAll()
  }
  const [late, first] = [samplesFrom(START - EARLIER), samplesFrom(START)]
  await put(first)
  assert.deepEqual(await read(store, STREAM), first)
  await put(late)
  assert.deepEqual(await read(store, STREAM), [...late, ...first])
  assert.deepEqual(store.status().damages, [])
})
