import type { KeptRoom } from '../../ports/sample-port.ts'

/** Room in the journal that nothing else takes until it is let go. */
export class JournalRoom implements KeptRoom {
  /** What the frame of the record takes, if it has it for itself. */
  readonly bytes: number
  readonly #rooms: KeptRooms
  #isKept = true

  constructor(rooms: KeptRooms, bytes: number) {
    this.#rooms = rooms
    this.bytes = bytes
  }

  get isKept(): boolean {
    return this.#isKept
  }

  release(): void {
    if (!this.#isKept) return
    this.#isKept = false
    this.#rooms.bytes -= this.bytes
  }
}

/** What is kept of the journal's room, all in all. */
export class KeptRooms {
  bytes = 0

  keep(bytes: number): JournalRoom {
    this.bytes += bytes
    return new JournalRoom(this, bytes)
  }
}
