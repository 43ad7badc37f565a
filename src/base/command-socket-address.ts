import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

const NAME = 'weir.sock'
/** What the system takes as the address of a socket, less the closing zero. */
const ADDRESS_BYTES_MAX = 107

/** Where the running service of a data folder takes commands. */
interface CommandSocketAddress {
  readonly file: string
  /** What listen and connect are given: the file, or a short way to it when its path is too long. */
  readonly path: string
  release(): void
}

/** The address of a data folder's command socket. */
export function commandSocketAddress(folder: string): CommandSocketAddress {
  const file = join(folder, NAME)
  if (Buffer.byteLength(file) <= ADDRESS_BYTES_MAX) return { file, path: file, release: () => {} }
  const handle = openSync(folder, 'r')
  return { file, path: `/proc/self/fd/${handle}/${NAME}`, release: () => closeSync(handle) }
}
