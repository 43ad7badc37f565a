/** An open file of a Disk. */
export type FileRef = number

/**
 * The few things the sample store asks of a file system, so that a test can make each of them fail.
 * Everything blocks the calling thread except createZeroed, which the main thread uses.
 */
export interface Disk {
  /** Makes a folder, unless it is there; its name is durable on return. */
  makeFolder(path: string): void
  /** Names in a folder, sorted. */
  list(folder: string): string[]
  /** Writes at a position; may write less than asked, as the system call may. */
  write(file: FileRef, bytes: Uint8Array, position: number): number
  /** Returns once what was written would survive a loss of power. */
  sync(file: FileRef): void
  close(file: FileRef): void
  /** Makes durable what a file holds, also what a process that was killed left unsynced. */
  syncWhole(path: string): void
  /** A file's bytes, 8-byte aligned; they are put into `room` when that is large enough. */
  readWhole(path: string, room?: Uint8Array): Uint8Array
  /** Fills `room` with a file's bytes from a position on; what it returns is shorter where the file ends. */
  readPart(path: string, position: number, room: Uint8Array): Uint8Array
  /** Writes a small new file; its bytes and its name are durable on return. */
  writeWhole(path: string, bytes: Uint8Array): void
  unlink(path: string): void
  /** The free space on a folder's disk; 0 when unknown. */
  freeBytes(folder: string): number
  /**
   * Creates a file of zeros, its blocks and name durable once this resolves; it stays open. Some room is
   * left free on the disk, unless the file is to have the last of it.
   */
  createZeroed(path: string, bytes: number, options?: { isLast: boolean }): Promise<FileRef>
}

/** Writes all bytes, however short the single writes turn out. */
export function writeFully(
  disk: Disk,
  target: { file: FileRef; position: number },
  bytes: Uint8Array,
): void {
  let done = 0
  while (done < bytes.length) {
    const written = disk.write(target.file, bytes.subarray(done), target.position + done)
    if (written <= 0) throw new Error(`Cannot write: the system took 0 of ${bytes.length - done}`)
    done += written
  }
}

/** What an error says is short and may be there again later, or undefined for any other error. */
export function passingReason(error: unknown): string | undefined {
  if (isDiskFull(error)) return 'the disk is full'
  const { code } = error as { code?: string }
  if (code === 'EMFILE' || code === 'ENFILE') return 'no more files can be opened'
  return undefined
}

/** Whether an error says that the disk (or the quota) is full, which passes once there is room. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode, errstr } = error as { code?: string; errcode?: number; errstr?: string }
  if (code === 'ENOSPC' || code === 'EDQUOT') return true
  // SQLITE_FULL as node:sqlite reports it.
  return errcode === 13 || errstr === 'database or disk is full'
}
