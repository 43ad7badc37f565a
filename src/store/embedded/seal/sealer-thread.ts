/** The sealer's thread, which alone writes samples.db. */
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../../../base/plain.ts'
import { openDisk } from '../disk/faulty-disk.ts'
import { requireSameFiles } from '../disk/file-identity.ts'
import { openSamplesFile } from './open-samples-file.ts'
import type { SealerCommand, SealerReply, SealerThreadData } from './sealer-protocol.ts'
import { SealerWork } from './sealer-work.ts'

/** Under load segments follow each other; after so long without one their memory is given back. */
const MEMORY_KEPT_MS = 10_000

invariant(parentPort !== null, 'sealer-thread.ts runs only as a thread')
const port = parentPort
const { file, opened, journalFolder, faults, control } = workerData as SealerThreadData
// SQLite would make the file that is missing, and fill one of another folder.
requireSameFiles(opened)
const cells = new Int32Array(control)
const work = new SealerWork({
  db: openSamplesFile(file),
  disk: openDisk(faults),
  journalFolder,
  isStopping: () => Atomics.load(cells, 0) === 1,
})
let releasing: NodeJS.Timeout | undefined

port.on('message', (command: SealerCommand) => {
  if (command.op === 'close') {
    work.close()
    port.close()
    return
  }
  clearTimeout(releasing)
  port.postMessage(refuseStrangeFile(command) ?? work.follow(command))
  releasing = setTimeout(() => work.release(), MEMORY_KEPT_MS).unref()
})
/** A file that was taken away keeps what is written to it only until the service stops: segments stay until it is back. */
function refuseStrangeFile(command: SealerCommand): SealerReply | undefined {
  if (command.op !== 'seal') return undefined
  try {
    requireSameFiles(opened)
    return undefined
  } catch (error) {
    const what = (error as Error).message
    return { op: 'failed', what, passing: what, damages: [] }
  }
}

port.postMessage({ op: 'ready' } satisfies SealerReply)
