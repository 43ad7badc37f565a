/** Appends one sample to each of a million streams and prints the memory that took, in bytes. */
import { openSampleStore } from '../../src/store/embedded/index.ts'

const STREAMS = 1_000_000
const PER_CALL = 10_000

const store = await openSampleStore({ folder: process.argv[2] })
for (let first = 1; first <= STREAMS; first += PER_CALL) {
  await store.append({
    count: PER_CALL,
    handles: Uint32Array.from({ length: PER_CALL }, (_, index) => first + index),
    times: new Float64Array(PER_CALL).fill(1_700_000_000_000),
    numbers: Float64Array.from({ length: PER_CALL }, (_, index) => index / 10),
    removals: [],
  })
}
console.log(process.memoryUsage().rss)
await store.close()
