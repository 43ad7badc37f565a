/** The headers of tar archives (POSIX ustar): what any tar program reads and writes. */

/** Everything in an archive comes in blocks of this length. */
export const TAR_BLOCK_BYTES = 512

const NAME_BYTES = 100
const SIZE_AT = 124
const CHECK_AT = 148
const TYPE_AT = 156
const MAGIC_AT = 257
/** Longer sizes have no room as octal digits and are written as a number, as GNU tar does. */
const OCTAL_SIZE_END = 8 ** 11
const PLAIN_FILE = 0x30
const FOLDER = 0x35

/** A file within an archive. */
export interface TarEntry {
  readonly path: string
  readonly bytes: number
  readonly isFolder: boolean
}

/** The header of a file. */
export function writeTarHeader(entry: { path: string; bytes: number; mtimeMs: number }): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES)
  const octal = (value: number, at: number, digits: number): void => {
    header.write(`${Math.floor(value).toString(8).padStart(digits, '0')}\0`, at, 'ascii')
  }
  if (Buffer.byteLength(entry.path) > NAME_BYTES) throw new Error(`BUG: a long name: ${entry.path}`)
  header.write(entry.path, 0, 'utf8')
  octal(0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  if (entry.bytes < OCTAL_SIZE_END) octal(entry.bytes, SIZE_AT, 11)
  else {
    header[SIZE_AT] = 0x80
    header.writeBigUInt64BE(BigInt(entry.bytes), SIZE_AT + 4)
  }
  octal(entry.mtimeMs / 1_000, 136, 11)
  header[TYPE_AT] = PLAIN_FILE
  header.write('ustar\x0000', MAGIC_AT, 'latin1')
  header.write(`${checkOf(header).toString(8).padStart(6, '0')}\0 `, CHECK_AT, 'ascii')
  return header
}

/** The file that a header announces; 'end' for a block of zeros, undefined when it does not check. */
export function readTarHeader(header: Buffer): TarEntry | 'end' | undefined {
  if (header.every((byte) => byte === 0)) return 'end'
  const digits = (at: number, end: number): number =>
    Number.parseInt(header.toString('latin1', at, end).replaceAll(/[\0 ]/g, ''), 8)
  if (digits(CHECK_AT, CHECK_AT + 8) !== checkOf(header)) return undefined
  if (header.toString('latin1', MAGIC_AT, MAGIC_AT + 5) !== 'ustar') return undefined
  const isNumber = (header[SIZE_AT] & 0x80) !== 0
  const bytes = isNumber
    ? Number(header.readBigUInt64BE(SIZE_AT + 4))
    : digits(SIZE_AT, SIZE_AT + 12)
  if (!Number.isSafeInteger(bytes)) return undefined
  const isFolder = header[TYPE_AT] === FOLDER
  if (!isFolder && header[TYPE_AT] !== PLAIN_FILE && header[TYPE_AT] !== 0) return undefined
  const nameEnd = header.subarray(0, NAME_BYTES).indexOf(0)
  const path = header.toString('utf8', 0, nameEnd < 0 ? NAME_BYTES : nameEnd).replace(/^\.\//, '')
  return { path, bytes, isFolder }
}

/** How many zeros follow the bytes of a file. */
export function tarPadding(bytes: number): number {
  return (TAR_BLOCK_BYTES - (bytes % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES
}

/** The sum of all bytes, those of the sum itself taken as blanks. */
function checkOf(header: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < TAR_BLOCK_BYTES; at += 1) {
    if (at < CHECK_AT || at >= CHECK_AT + 8) sum += header[at]
  }
  return sum
}
