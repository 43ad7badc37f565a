import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { FolderDamaged } from '../damage/folder-damaged.ts'

const KEY_BYTES = 32

/**
 * The key that secrets are encrypted under, from the file `secret.key` of a folder or another; made when there is
 * none. It lies outside the databases, so that a copy of those alone reveals nothing.
 */
export function openKeyFile(folder: string, file = join(folder, 'secret.key')): Uint8Array {
  const found = readKey(file)
  if (found === undefined) return writeKey(file, randomBytes(KEY_BYTES))
  if (found.isChecked) return found.key
  try {
    return writeKey(file, found.key)
  } catch {
    // A disk that is full or read-only leaves it without a checksum for now.
    return found.key
  }
}

/** The key of a folder as it is; undefined where there is none. */
export function readKeyFile(folder: string): Uint8Array | undefined {
  return readKey(join(folder, 'secret.key'))?.key
}

/** The key as it is kept; one that an earlier version wrote has no checksum beside it. */
function readKey(file: string): { key: Buffer; isChecked: boolean } | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  const [digits, check] = readFileSync(file, 'utf8').trim().split('\n')
  const key = Buffer.from(digits, 'hex')
  if (key.byteLength !== KEY_BYTES || digits.length !== KEY_BYTES * 2) {
    throw new FolderDamaged(`${file} must hold 64 hex digits: restore it from a backup`)
  }
  if (check === undefined) return { key, isChecked: false }
  if (check === checkOf(key)) return { key, isChecked: true }
  throw new FolderDamaged(
    `${file} does not check: restore it from a backup, or remove it; ` +
      'a fresh key is made then, and secrets of older API keys can be used, not shown',
  )
}

function checkOf(key: Uint8Array): string {
  return crc32(key).toString(16).padStart(8, '0')
}

/** Written whole and synced under another name first: a half-written key would lose every secret. */
function writeKey(file: string, key: Buffer): Buffer {
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx', 0o600)
  writeSync(handle, `${key.toString('hex')}\n${checkOf(key)}\n`)
  fsyncSync(handle)
  closeSync(handle)
  renameSync(draft, file)
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
  return key
}
