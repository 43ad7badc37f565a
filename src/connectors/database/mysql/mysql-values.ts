import { isoDateTime } from '../iso-text.ts'

/** Numbers of column types in the wire protocol. */
const TIMESTAMP = 7
const DATETIME = 12
const BIT = 16
const VARCHAR = 15
/** From here on: BLOB and TEXT, VARCHAR, CHAR, GEOMETRY. JSON comes before: it says binary and is UTF-8. */
const FIRST_STRING = 249
/** The character set of what is no text. */
const BINARY = 63

/** A column as the server describes it. */
export interface MysqlColumn {
  readonly columnType: number
  readonly characterSet: number
}

/** How a value is written, from the bytes of the server's own text of it; the session's zone is UTC. */
export function mysqlReader({ columnType, characterSet }: MysqlColumn): (bytes: Buffer) => string {
  if (columnType === BIT) return readBits
  if (columnType === TIMESTAMP) return readInstant
  if (columnType === DATETIME) return (bytes) => isoDateTime(bytes.toString('latin1'))
  const isString = columnType >= FIRST_STRING || columnType === VARCHAR
  if (isString && characterSet === BINARY) return (bytes) => bytes.toString('base64')
  return readText
}

function readInstant(bytes: Buffer): string {
  const text = bytes.toString('latin1')
  const iso = isoDateTime(`${text}+00`)
  // Zero times are returned as they are, without a zone that they do not have.
  return iso.endsWith('Z') ? iso : text
}

function readText(bytes: Buffer): string {
  return bytes.toString('utf8')
}

function readBits(bytes: Buffer): string {
  return bytes.length === 0 ? '0' : BigInt(`0x${bytes.toString('hex')}`).toString()
}
