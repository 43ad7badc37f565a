/** The thread that alone writes payloads.db: a transaction and a sync for each batch that arrives. */
import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../../../base/index.ts'
import { FolderDamaged } from '../damage/folder-damaged.ts'
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

function listen(db: DatabaseSync, table: PayloadWriteTable): void {
  port.on('message', (batch: PayloadBatch) => {
    const reply = run(table, batch)
    if (batch.isLast === true) close(db)
    port.postMessage(reply)
    if (batch.isLast === true) port.close()
  })
}

function run(table: PayloadWriteTable, batch: PayloadBatch): PayloadReply {
  try {
    table.apply(batch)
    return {}
  } catch (error) {
    return failureOf(error)
  }
}

function close(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // On a disk that cannot be written the log stays: it holds all that was acknowledged.
  }
  db.close()
}

try {
  const { file, bounds } = workerData as PayloadWriterData
  const db = openPayloadFile(file)
  listen(db, new PayloadWriteTable(db, bounds))
  port.postMessage({} satisfies PayloadReply)
} catch (error) {
  // Told as a reply: an error that crosses threads loses its code. The thread ends by itself.
  port.postMessage(failureOf(error))
}
