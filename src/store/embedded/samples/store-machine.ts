import type { Disk } from '../disk/disk.ts'
import { openDisk } from '../disk/faulty-disk.ts'
import {
  type JournalEvents,
  type JournalLink,
  startJournalThread,
} from '../journal/journal-link.ts'
import {
  type SealerEvents,
  type SealerLink,
  type SealerPlace,
  startSealerThread,
} from '../seal/sealer-link.ts'

/** What a sample store runs on: a disk, and the two that write beside the main thread. */
export interface StoreMachine {
  readonly disk: Disk
  startJournal(events: JournalEvents): JournalLink
  startSealer(place: SealerPlace, events: SealerEvents): SealerLink
}

/** This machine, with a thread for each writer. */
export function threadedMachine(faults: SharedArrayBuffer | undefined): StoreMachine {
  return {
    disk: openDisk(faults),
    startJournal: (events) => startJournalThread(faults, events),
    startSealer: (place, events) => startSealerThread(place, faults, events),
  }
}
