import { isUtf8 } from 'node:buffer'
import { BACKSLASH, BYTE_SETS } from './line-bytes.ts'

const ASCII_MAX = 0x7f

/** A piece of text between separators, its escapes resolved. */
interface Token {
  /** Undefined where the bytes are not UTF-8. */
  readonly text: string | undefined
  /** Where it ends: at a byte of the ending set, or at the limit. */
  readonly end: number
}

/**
 * Takes the bytes from a place up to one of the ending set. A backslash before a byte of the escaped
 * set stands for that byte alone; before any other it stands for itself.
 */
export function takeToken(
  bytes: Buffer,
  from: number,
  limit: number,
  { ends, escaped }: { readonly ends: number; readonly escaped: number },
): Token {
  const end = endOfToken(bytes, from, limit, { ends, escaped })
  if (isPlain(bytes, from, end)) return { text: bytes.toString('latin1', from, end), end }
  const isEscaped = bytes.subarray(from, end).includes(BACKSLASH)
  const raw = isEscaped ? unescaped(bytes, from, end, escaped) : bytes.subarray(from, end)
  return { text: isUtf8(raw) ? raw.toString('utf8') : undefined, end }
}

/** Whether bytes are ASCII without a backslash, as nearly all tokens are. */
function isPlain(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const byte = bytes[at]
    if (byte === BACKSLASH || byte > ASCII_MAX) return false
  }
  return true
}

/** Where a token ends, as takeToken() returns it. */
export function endOfToken(
  bytes: Buffer,
  from: number,
  limit: number,
  { ends, escaped }: { readonly ends: number; readonly escaped: number },
): number {
  let at = from
  while (at < limit) {
    const byte = bytes[at]
    if (byte === BACKSLASH) {
      at += at + 1 < limit && (BYTE_SETS[bytes[at + 1]] & escaped) !== 0 ? 2 : 1
    } else if ((BYTE_SETS[byte] & ends) !== 0) {
      return at
    } else {
      at += 1
    }
  }
  return at
}

function unescaped(bytes: Buffer, from: number, end: number, escaped: number): Buffer {
  const result = Buffer.alloc(end - from)
  let length = 0
  for (let at = from; at < end; at++) {
    const isEscape = bytes[at] === BACKSLASH && at + 1 < end
    if (isEscape && (BYTE_SETS[bytes[at + 1]] & escaped) !== 0) at += 1
    result[length++] = bytes[at]
  }
  return result.subarray(0, length)
}
