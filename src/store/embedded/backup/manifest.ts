/**
 * The list of all that a backup holds, its last file: a line for the whole, one for each file, and one
 * with the checksum of all lines before. docs/format/backup.md.
 */
import { createHash, type Hash } from 'node:crypto'
import { BackupDamaged } from './backup-damaged.ts'

/** The name of the list within a backup. */
export const MANIFEST = 'manifest.jsonl'

/** The format that this Weir writes and reads. */
const FORMAT = 1

/** No line of ours is nearly as long. */
const LINE_BYTES_MAX = 16_384

/** What a backup is. */
export interface BackupHead {
  readonly weirBackup: number
  /** The version of Weir that wrote it. */
  readonly version: string
  /** When it was begun; all that was acknowledged before is in it. */
  readonly time: string
  readonly hasKey: boolean
}

/** One file of a backup. */
export interface BackupEntry {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** How long the file is when it is restored, with zeros behind its bytes; `bytes` when left out. */
  readonly length?: number
}

/** The contents of the last line. */
export interface BackupEnd {
  readonly files: number
  readonly bytes: number
  readonly sha256: string
}

/** Names that a backup may hold: whatever else one says is not written anywhere. */
const PATHS = [
  /^(?:catalog\.db|samples\.db|payloads\.db|secret\.key|progress|journal\/mark|files\/mark)$/,
  /^journal\/journal-\d{12}\.seg$/,
  /^files\/[0-9a-f]{2}\/[0-9a-f]{32}$/,
  /^quarantine\/\w[\w.-]{0,199}$/,
]

/** Whether a name is one that backups hold. */
export function isBackupPath(path: string): boolean {
  return PATHS.some((pattern) => pattern.test(path))
}

/** The line that begins a list. */
export function headLine(head: Omit<BackupHead, 'weirBackup'>): string {
  return `${JSON.stringify({ weirBackup: FORMAT, ...head })}\n`
}

/** The line of one file. */
export function entryLine({ path, bytes, sha256, length }: BackupEntry): string {
  const longer = length === undefined || length === bytes ? {} : { length }
  return `${JSON.stringify({ path, bytes, sha256, ...longer })}\n`
}

/** Collects the checksum and the counts of a list on its way out. */
export class ManifestSum {
  readonly #hash: Hash = createHash('sha256')
  #files = 0
  #bytes = 0

  /** Takes a line in and hands it on. */
  add(line: string, entry?: BackupEntry): string {
    this.#hash.update(line)
    if (entry !== undefined) {
      this.#files += 1
      this.#bytes += entry.bytes
    }
    return line
  }

  /** The last line. */
  end(): { readonly line: string; readonly end: BackupEnd } {
    const end = { files: this.#files, bytes: this.#bytes, sha256: this.#hash.digest('hex') }
    return { line: `${JSON.stringify(end)}\n`, end }
  }
}

/** Called line by line with a list. A promise is awaited. */
interface ManifestReader {
  onHead(head: BackupHead): void
  onEntry(entry: BackupEntry): Promise<void> | void
}

/** Reads a whole list; rejects a damaged one after its lines were passed on. */
export async function readManifest(
  chunks: AsyncIterable<Uint8Array>,
  reader: ManifestReader,
): Promise<BackupEnd> {
  const sum = new ManifestSum()
  let head: BackupHead | undefined
  let end: BackupEnd | undefined
  for await (const line of linesOf(chunks)) {
    if (end !== undefined) throw new BackupDamaged(`${MANIFEST} goes on behind its end`)
    const record = readLine(line)
    if (head === undefined) {
      head = headOf(record)
      reader.onHead(head)
    } else if (record.path === undefined) {
      end = sum.end().end
      if (JSON.stringify(record) !== JSON.stringify(end)) {
        throw new BackupDamaged(`${MANIFEST}, the list of the backup's files, does not check`)
      }
      continue
    }
    const entry = record.path === undefined ? undefined : entryOf(record)
    sum.add(`${line}\n`, entry)
    if (entry !== undefined) await reader.onEntry(entry)
  }
  if (end === undefined) {
    throw new BackupDamaged(`${MANIFEST}, the list of the backup's files, is cut short`)
  }
  return end
}

function readLine(line: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(line)
    if (typeof record === 'object' && record !== null) return { ...record }
  } catch {
    // Reported below as a malformed record.
  }
  throw new BackupDamaged(`${MANIFEST}, the list of the backup's files, does not check`)
}

function headOf(record: Record<string, unknown>): BackupHead {
  const { weirBackup, version, time, hasKey } = record
  if (typeof weirBackup !== 'number') throw new BackupDamaged('it is no backup of Weir')
  if (weirBackup !== FORMAT) {
    throw new BackupDamaged(
      `it has format ${weirBackup} and this Weir knows ${FORMAT}: use the version that wrote it, ${String(version)}`,
    )
  }
  return { weirBackup, version: String(version), time: String(time), hasKey: hasKey === true }
}

function entryOf({ path, bytes, sha256, length }: Record<string, unknown>): BackupEntry {
  const isWhole = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= 0
  const isRight =
    typeof path === 'string' &&
    isBackupPath(path) &&
    isWhole(bytes) &&
    typeof sha256 === 'string' &&
    (length === undefined || (isWhole(length) && length >= bytes))
  if (!isRight) throw new BackupDamaged(`${MANIFEST} names a file that no backup holds`)
  return { path, bytes, sha256, ...(length === undefined ? {} : { length: Number(length) }) }
}

/** The lines of a list; one that does not end, or is far too long, is refused. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    let bytes = Buffer.concat([rest, chunk])
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10)) {
      yield bytes.subarray(0, at).toString('utf8')
      bytes = bytes.subarray(at + 1)
    }
    if (bytes.length > LINE_BYTES_MAX) throw new BackupDamaged('it is no backup of Weir')
    rest = bytes
  }
  if (rest.length > 0)
    throw new BackupDamaged(`${MANIFEST}, the list of the backup's files, is cut short`)
}
