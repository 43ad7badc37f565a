import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { FolderDamaged } from '../damage/folder-damaged.ts'

const KEY_BYTES = 32

/**
 * The key that secrets are encrypted under, from the file `secret.key` of a folder; made when the
 * folder has none. It lies outside the databases, so that a copy of those alone reveals nothing.
 */
export function openKeyFile(folder: string): Uint8Array {
  const file = join(folder, 'secret.key')
  const key = readKey(file) ?? makeKey(file)
  if (key.byteLength !== KEY_BYTES) {
    throw new FolderDamaged(`${file} must hold 64 hex digits: restore it from a backup`)
  }
  return key
}

function readKey(file: string): Buffer | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'hex')
}

/** Written whole and synced under another name first: a half-written key would lose every secret. */
function makeKey(file: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  const draft = `${file}.new`
  rmSync(draft, { force: true })
  const handle = openSync(draft, 'wx', 0o600)
  writeSync(handle, `${key.toString('hex')}\n`)
  fsyncSync(handle)
  closeSync(handle)
  linkSync(draft, file)
  rmSync(draft)
  const folder = openSync(dirname(file), 'r')
  fsyncSync(folder)
  closeSync(folder)
  return key
}
