/** The thread that alone writes payloads.db: a transaction and a sync for each batch that arrives. */
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../../../base/plain.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
import { ProgressSlotFile } from '../damage/progress-file.ts'
import { openPayloadFile } from './open-payload-file.ts'
import type { PayloadBatch, PayloadReply, PayloadWriterData } from './payload-protocol.ts'
import { PayloadWriteTable } from './payload-write-table.ts'

invariant(parentPort !== null, 'payload-writer.ts runs only as a thread')
const port = parentPort

function failureOf(error: unknown): PayloadReply {
  const { message, errcode } = error as Error & { errcode?: number }
  if (error instanceof FolderDamaged) return { refusal: message }
  return { failure: { message, errcode } }
}

/** What a thread writes to. */
interface Written {
  readonly db: DatabaseSync
  readonly table: PayloadWriteTable
  readonly progress: ProgressSlotFile
}

function listen(written: Written): void {
  port.on('message', (batch: PayloadBatch) => {
    const reply = run(written, batch)
    if (batch.isLast === true) close(written)
    port.postMessage(reply)
    if (batch.isLast === true) port.close()
  })
}

function run({ table, progress }: Written, batch: PayloadBatch): PayloadReply {
  try {
    // The newest may be among them, and must not look lost to a start after a crash.
    if (batch.deletes.length > 0) progress.forget()
    table.apply(batch)
    progress.note(table.lastNumber)
    return {}
  } catch (error) {
    return failureOf(error)
  }
}

function close({ db, progress }: Written): void {
  progress.close()
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // On a disk that cannot be written the log stays: it holds all that was acknowledged.
  }
  db.close()
}

try {
  const { folder, file, bounds } = workerData as PayloadWriterData
  const db = openPayloadFile(file)
  const table = new PayloadWriteTable(db, bounds)
  listen({ db, table, progress: new ProgressSlotFile(folder, 'payloadNumber') })
  port.postMessage({} satisfies PayloadReply)
} catch (error) {
  // Reported as a reply: an error that crosses threads loses its code. The thread ends by itself.
  port.postMessage(failureOf(error))
}
