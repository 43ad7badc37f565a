/**
 * A process that appends until it is killed: `node crash-writer.ts <folder> <first> <acknowledged>`.
 * The numbers of the batches that were acknowledged go to a file, as a pipe may refuse them.
 */
import { openSync, writeSync } from 'node:fs'
import { openSampleStore } from '../../../src/store/embedded/index.ts'
import { batchNumber } from './crash-load.ts'

const IN_FLIGHT = 8
const [folder, first, acknowledged] = process.argv.slice(2)

const file = openSync(acknowledged, 'a')
const store = await openSampleStore({ folder, segmentBytes: 128 * 1024 })
let next = Number(first)

async function appendForever(): Promise<void> {
  for (;;) {
    const number = next
    next += 1
    await store.append(batchNumber(number))
    // Written before anything else can happen: anyone who reads it may rely on it.
    writeSync(file, `${number}\n`)
    process.stdout.write('.')
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, appendForever))
