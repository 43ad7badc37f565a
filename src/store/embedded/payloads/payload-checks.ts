/** The checksums of payloads.db: a CRC-32 over everything that a row says. docs/format/payloads-db.md. */
import { crc32 } from 'node:zlib'
import { type NewPayload, PayloadDamaged, type RunOutcome } from '../../ports/payload-port.ts'
import { isDamagedFile } from '../damage/folder-damaged.ts'

/** The checksum of a connector's row. */
export function checkOfConnector(ref: number, orgUid: string, uid: string): number {
  return crc32(`${ref}\n${orgUid}\n${uid}`)
}

/** The checksum of a payload, which names its connector, so that it cannot show in another. */
export function checkOfPayload(
  number: number,
  connectorUid: string,
  payload: Pick<NewPayload, 'time' | 'method' | 'query' | 'body'>,
): number {
  const { time, method, query, body } = payload
  const kind = body === null ? 'none' : 'text'
  const head = crc32(`${number}\n${connectorUid}\n${time}\n${method}\n${query}\n${kind}\n`)
  return body === null ? head : crc32(body, head)
}

/** The checksum of an outcome. */
export function checkOfOutcome(number: number, outcome: RunOutcome): number {
  const { start, end, status, rowsFetched, rowsIngested, rowsSkipped, samples, message } = outcome
  return crc32(
    `${number}\n${start}\n${end}\n${status}\n${rowsFetched}\n${rowsIngested}\n${rowsSkipped}\n${samples}\n${message}`,
  )
}

/** The checksum of the times that samples of a payload were assigned. */
export function checkOfAssigned(number: number, spans: string): number {
  return crc32(`${number}\n${spans}`)
}

/** Runs a read; what SQLite cannot make sense of becomes PayloadDamaged. */
export function readPayloads<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isDamagedFile(error)) throw error
    const problem = (error as Error).message
    throw new PayloadDamaged(`payloads.db cannot be read: ${problem}`, { cause: error })
  }
}
