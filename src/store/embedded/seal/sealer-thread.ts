/** The sealer's thread, which alone writes samples.db. */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../../../base/index.ts'
import { isDiskFull } from '../disk/disk.ts'
import { openDisk } from '../disk/faulty-disk.ts'
import { segmentName } from '../journal/segment.ts'
import { ChunkTable } from './chunk-table.ts'
import { openSamplesFile } from './open-samples-file.ts'
import {
  SEALED_SEGMENT,
  type SealerCommand,
  type SealerReply,
  type SealerThreadData,
} from './sealer-protocol.ts'
import { SegmentReader } from './segment-reader.ts'
import { SealStopped, SegmentSealer } from './segment-sealer.ts'
import { TouchedTable } from './touched-table.ts'

/** Under load segments follow each other; after so long without one their memory is given back. */
const MEMORY_KEPT_MS = 10_000

invariant(parentPort !== null, 'sealer-thread.ts runs only as a thread')
const port = parentPort
const { file, journalFolder, faults, control } = workerData as SealerThreadData
const cells = new Int32Array(control)
const disk = openDisk(faults)
const db = openSamplesFile(file)
const reader = new SegmentReader(disk)
let releasing: NodeJS.Timeout | undefined
const table = new ChunkTable(db)
const touched = new TouchedTable(db)
const sealer = new SegmentSealer(table, touched, () => Atomics.load(cells, 0) === 1)

function seal(segment: number): SealerReply {
  const path = join(journalFolder, segmentName(segment))
  try {
    const isSealed = table.readMeta(SEALED_SEGMENT) >= segment
    const damages = isSealed ? [] : sealer.seal(reader.read(path, segment))
    disk.unlink(path)
    return { op: 'sealed', segment, damages }
  } catch (error) {
    if (error instanceof SealStopped) return { op: 'stopped', segment }
    // SQLite and the file system give their errors a code; any other is a bug and ends the process.
    if (!(error instanceof Error) || !('code' in error)) throw error
    const what = error.message
    return { op: 'failed', segment, what, isDiskFull: isDiskFull(error) }
  }
}

function watch(id: number, handles: readonly number[]): SealerReply {
  try {
    touched.watch(handles)
    return { op: 'watched', id, what: undefined }
  } catch (error) {
    return { op: 'watched', id, what: String(error) }
  }
}

port.on('message', (command: SealerCommand) => {
  switch (command.op) {
    case 'seal':
      clearTimeout(releasing)
      port.postMessage(seal(command.segment))
      releasing = setTimeout(() => reader.release(), MEMORY_KEPT_MS).unref()
      return
    case 'watch':
      port.postMessage(watch(command.id, command.handles))
      return
    case 'close':
      db.close()
      port.close()
  }
})
port.postMessage({ op: 'ready' } satisfies SealerReply)
