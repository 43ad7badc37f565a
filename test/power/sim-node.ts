/**
 * What the blob store uses of node:fs/promises, over simulated files, and of node:crypto, with keys
 * that follow from the seed. A test that cuts the power has this module resolved in place of Node's,
 * so that the store's own code runs unchanged.
 */
import { dirname } from 'node:path/posix'
import type { Random } from '../support/random.ts'
import type { Inode, SimFiles } from './sim-files.ts'

export { createHash } from 'node:crypto'

let files: SimFiles | undefined
let random: Random | undefined

/** Chooses the files that everything here is about. */
export function useFiles(chosen: SimFiles, seeded: Random): void {
  files = chosen
  random = seeded
}

export function randomBytes(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => random?.integer(0, 256) ?? 0))
}

function inUse(): SimFiles {
  if (files === undefined) throw new Error('useFiles() comes first')
  return files
}

class SimHandle {
  readonly #files: SimFiles
  readonly #inode: Inode
  #position = 0

  constructor(chosen: SimFiles, inode: Inode) {
    this.#files = chosen
    this.#inode = inode
  }

  async write(chunk: Uint8Array, offset = 0): Promise<{ bytesWritten: number }> {
    const bytes = chunk.subarray(offset)
    this.#files.write(this.#inode, bytes, this.#position)
    this.#position += bytes.length
    return { bytesWritten: bytes.length }
  }

  async read(into: Uint8Array, at: number, length: number, position: number) {
    const bytes = this.#inode.content.subarray(position, position + length)
    into.set(bytes, at)
    return { bytesRead: bytes.length }
  }

  async stat() {
    return { size: this.#inode.content.length }
  }

  async datasync(): Promise<void> {
    this.#files.sync(this.#inode)
  }

  async close(): Promise<void> {}
}

export async function open(path: string, flags: 'r' | 'wx') {
  const chosen = inUse()
  if (flags === 'wx') return new SimHandle(chosen, chosen.create(path))
  if (!chosen.hasFolder(path)) return new SimHandle(chosen, chosen.open(path))
  return { sync: async () => chosen.syncFolder(path), close: async () => {} }
}

export async function mkdir(path: string): Promise<void> {
  const chosen = inUse()
  if (chosen.hasFolder(path)) return
  await mkdir(dirname(path))
  chosen.makeFolder(path)
}

export async function readdir(path: string): Promise<string[]> {
  return inUse().list(path)
}

export async function rename(from: string, to: string): Promise<void> {
  inUse().rename(from, to)
}

export async function unlink(path: string): Promise<void> {
  inUse().open(path)
  inUse().unlink(path)
}

export async function stat(path: string) {
  return { mtimeMs: 0, size: inUse().open(path).content.length }
}

export async function statfs() {
  return { bavail: 2 ** 30, bsize: 4096 }
}
