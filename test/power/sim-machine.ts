import type { DatabaseSync } from 'node:sqlite'
import type { Disk } from '../../src/store/embedded/disk/disk.ts'
import { JournalWriter } from '../../src/store/embedded/journal/journal-writer.ts'
import type { StoreMachine } from '../../src/store/embedded/samples/store-machine.ts'
import { SealerWork } from '../../src/store/embedded/seal/sealer-work.ts'

/** How the sealer of a machine differs from one that is always quick. */
interface SteppedSealer {
  /** How many turns a command waits; more segments wait with it. */
  readonly iterations?: () => number
  /** Called with the segments of each pass. */
  readonly onSealed?: (segments: readonly number[]) => void
}

/**
 * A machine without threads: the journal's writer and the sealer run between the turns of the store,
 * always in the same order, so that a seed reproduces everything.
 */
export function steppedMachine(
  disk: Disk,
  openDatabase: () => DatabaseSync,
  { iterations = () => 1, onSealed = () => {} }: SteppedSealer = {},
): StoreMachine {
  return {
    disk,
    startJournal(events) {
      const writer = new JournalWriter(disk)
      return {
        post: (command) => writer.follow(command),
        order: (order) => {
          setImmediate(() => events.onReply(writer.write(order)))
        },
        close: async () => writer.close(),
      }
    },
    startSealer({ journalFolder }, events) {
      let work: SealerWork | undefined
      const round = (run: () => void, left = 1): void => {
        setImmediate(() => {
          if (left > 1) return round(run, left - 1)
          try {
            run()
          } catch (error) {
            events.onDied(error)
          }
        })
      }
      round(() => {
        const db = openDatabase()
        work = new SealerWork({ db, disk, journalFolder, isStopping: () => false })
        events.onReply({ op: 'ready' })
      })
      return {
        send(command) {
          round(() => {
            const reply = work?.follow(command)
            if (reply?.op === 'sealed') onSealed(reply.segments)
            if (reply !== undefined) events.onReply(reply)
          }, iterations())
        },
        async close() {
          await new Promise((resolve) => setImmediate(resolve))
          work?.close()
        },
      }
    },
  }
}
