import assert from 'node:assert/strict'
import type { Disk } from '../../src/store/embedded/disk/disk.ts'
import { realDisk } from '../../src/store/embedded/disk/real-disk.ts'
import { Journal } from '../../src/store/embedded/journal/journal.ts'
import { JournalWriter } from '../../src/store/embedded/journal/journal-writer.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A journal without its thread; `frames` are the first times of the records of each frame that is durable. */
export function openCountingJournal(disk: Disk = realDisk) {
  const folder = temporaryFolder()
  const writer = new JournalWriter(disk)
  const frames: number[][] = []
  let underWay = 0
  const journal = new Journal({
    folder,
    disk,
    segmentBytes: 1024 * 1024,
    nextSegment: 1,
    nextSequence: 1,
    roomRetryMs: 5,
    startWriter: (events) => ({
      post: (command) => writer.follow(command),
      order(order) {
        underWay += 1
        assert.equal(underWay, 1, 'one frame is under way at a time')
        setImmediate(() => {
          underWay -= 1
          events.onReply(writer.write(order))
        })
      },
      close: async () => writer.close(),
    }),
    onDurable({ records }) {
      frames.push(records.flatMap(({ batch }) => [...batch.times.slice(0, 1)]))
      return undefined
    },
  })
  return { journal, frames }
}
