import { isoDateTime } from '../iso-text.ts'

const BOOL = 16
const BYTEA = 17
const TIMESTAMP = 1114
const TIMESTAMPTZ = 1184

/** How a value of a type is written, from the server's own text of it, by the number of its type. */
export function postgresqlReader(type: number): (text: string) => string {
  if (type === BOOL) return (text) => (text === 't' ? 'true' : 'false')
  if (type === BYTEA) return readBytes
  return type === TIMESTAMP || type === TIMESTAMPTZ ? isoDateTime : same
}

function same(text: string): string {
  return text
}

function readBytes(text: string): string {
  return Buffer.from(text.slice('\\x'.length), 'hex').toString('base64')
}
