/** The thread of a scrub: one step per message, so that the caller controls the pace. */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../../../base/plain.ts'
import { describeDamage } from '../journal/damage.ts'
import { scanSegment } from '../journal/scan.ts'
import type { ScrubStart } from './scrub.ts'
import { type ScrubStep, ScrubTable } from './scrub-table.ts'

invariant(parentPort !== null, 'scrub-thread.ts runs only as a thread')
const port = parentPort
const { file, segments } = workerData as ScrubStart
const left = [...segments]
const table = new ScrubTable(file)

/** Reads a segment of the journal; one that was sealed meanwhile is gone. */
function scrubSegment({ path, isOpen }: ScrubStart['segments'][number]): ScrubStep {
  const step: ScrubStep = { items: 0, bytes: 0, damages: [], isDone: false }
  let bytes: Uint8Array
  try {
    bytes = new Uint8Array(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return step
    throw error
  }
  const { frames, damages } = scanSegment(bytes)
  // Behind the last frame that checks, one may be on its way to the disk.
  const end = isOpen ? (frames.at(-1)?.offset ?? 0) : bytes.length
  for (const found of damages.filter(({ offset }) => offset < end)) {
    const damage = describeDamage(basename(path), found)
    step.damages.push({ damage, bytes: bytes.slice(found.offset, found.offset + found.bytes) })
  }
  step.items = frames.length
  step.bytes = bytes.length
  return step
}

port.on('message', (command: 'next' | 'close') => {
  if (command === 'close') {
    table.close()
    port.close()
    return
  }
  const segment = left.shift()
  port.postMessage(segment === undefined ? table.step() : scrubSegment(segment))
})
