import type { Clock } from '../../../base/plain.ts'
import type { Disk } from './disk.ts'

/** With so much free nothing needs to be counted together: no disk takes it in while a call lasts. */
const PLENTY_BYTES = 1024 ** 3

/** What was seen holds for so long. */
const SEEN_MS = 100

/** Whether a disk has plenty of room, looked at now and then. */
export class DiskSpace {
  readonly #disk: Pick<Disk, 'freeBytes'>
  readonly #folder: string
  readonly #clock: Pick<Clock, 'elapsed'>
  #seenAtMs = Number.NEGATIVE_INFINITY
  #isPlenty = false

  constructor(deps: {
    disk: Pick<Disk, 'freeBytes'>
    folder: string
    clock: Pick<Clock, 'elapsed'>
  }) {
    this.#disk = deps.disk
    this.#folder = deps.folder
    this.#clock = deps.clock
  }

  get isPlenty(): boolean {
    const now = this.#clock.elapsed()
    if (now - this.#seenAtMs > SEEN_MS) {
      this.#isPlenty = this.#disk.freeBytes(this.#folder) >= PLENTY_BYTES
      this.#seenAtMs = now
    }
    return this.#isPlenty
  }
}
