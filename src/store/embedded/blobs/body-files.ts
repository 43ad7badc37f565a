/** Steps on the files of bodies that the store, its readers and its checks share. */
import { type FileHandle, open, unlink } from 'node:fs/promises'

/** One read of a body: large enough to keep the disk busy, small enough to hold for many readers. */
export const PIECE_BYTES = 128 * 1024

/** Writes all of a chunk behind what was written. */
export async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let offset = 0; offset < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, offset)
    offset += bytesWritten
  }
}

/** Reads into the whole buffer from a place on; returns the number of bytes. */
export async function readFully(file: FileHandle, into: Buffer, position: number): Promise<number> {
  let filled = 0
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return filled
}

/** Makes the names in a folder survive a crash. */
export async function syncBodyFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Opens a file for reading; undefined when there is none. */
export async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
}

/** Removes a file; one that is not there is no error. */
export async function unlinkIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause
  }
}

/** The code of a failed call to the system. */
export function codeOf(cause: unknown): string | undefined {
  return (cause as NodeJS.ErrnoException | undefined)?.code
}
