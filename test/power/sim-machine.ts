import type { DatabaseSync } from 'node:sqlite'
import type { Disk } from '../../src/store/embedded/disk/disk.ts'
import { JournalWriter } from '../../src/store/embedded/journal/journal-writer.ts'
import type { StoreMachine } from '../../src/store/embedded/samples/store-machine.ts'
import { SealerWork } from '../../src/store/embedded/seal/sealer-work.ts'

/**
 * A machine without threads: the journal's writer and the sealer run between the turns of the store,
 * always in the same order, so that a seed tells everything.
 */
export function turnedMachine(disk: Disk, openDatabase: () => DatabaseSync): StoreMachine {
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
      const turn = (run: () => void): void => {
        setImmediate(() => {
          try {
            run()
          } catch (error) {
            events.onDied(error)
          }
        })
      }
      turn(() => {
        const db = openDatabase()
        work = new SealerWork({ db, disk, journalFolder, isStopping: () => false })
        events.onReply({ op: 'ready' })
      })
      return {
        send(command) {
          turn(() => {
            if (work !== undefined) events.onReply(work.follow(command))
          })
        },
        async close() {
          await new Promise((resolve) => setImmediate(resolve))
          work?.close()
        },
      }
    },
  }
}
