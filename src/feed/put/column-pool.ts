import { freeBytes } from '../../base/plain.ts'

/** The columns that a call's samples are read into, all of one length. */
export interface SampleRoom {
  readonly handles: Uint32Array
  readonly times: Float64Array
  readonly numbers: Float64Array
  readonly kinds: Uint8Array
}

const ROOM_SAMPLES_MIN = 4

/** Longer rooms are rare and large: they are made for one call and given back to the system. */
const POOLED_SAMPLES_MAX = 16_384

/** Some 400 calls of a thousand samples at once; what is beyond is given back to the system. */
const POOLED_BYTES_MAX = 16 * 1024 * 1024

const BYTES_PER_SAMPLE = 21

/**
 * Rooms for samples, used again by later calls: memory outside the heap makes V8 collect all of the
 * heap. Lengths are powers of two. A room has one owner, who gives it back once nobody reads it.
 */
export class ColumnPool {
  /** Free rooms by the exponent of their length. */
  readonly #free: SampleRoom[][] = Array.from({ length: 32 }, () => [])
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax = POOLED_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** Bytes of the rooms that wait for a call. */
  get bytes(): number {
    return this.#bytes
  }

  /** Columns for at least `samples` samples. The kinds are 0; the other columns may hold anything. */
  take(samples: number): SampleRoom {
    if (samples > POOLED_SAMPLES_MAX) return makeRoom(samples)
    const exponent = 32 - Math.clz32(Math.max(samples, ROOM_SAMPLES_MIN) - 1)
    const room = this.#free[exponent].pop()
    if (room === undefined) return makeRoom(2 ** exponent)
    this.#bytes -= bytesOf(room)
    return room
  }

  /** A room twice as long with the same samples; the one given is the pool's from here on. */
  grow(room: SampleRoom, usedKinds: number): SampleRoom {
    const samples = room.handles.length * 2
    // Column by column, so that never all of a long room is there twice.
    if (room.handles.length > POOLED_SAMPLES_MAX) return lengthened(room, samples)
    const grown = this.take(samples)
    grown.handles.set(room.handles)
    grown.times.set(room.times)
    grown.numbers.set(room.numbers)
    grown.kinds.set(room.kinds)
    this.give(room, usedKinds)
    return grown
  }

  /** Takes a room of its own back, whose first `usedKinds` kinds may not be 0. */
  give(room: SampleRoom, usedKinds: number): void {
    const bytes = bytesOf(room)
    // What a released call holds: the same empty columns for all.
    if (bytes === 0) return
    if (room.handles.length > POOLED_SAMPLES_MAX || this.#bytes + bytes > this.#bytesMax) {
      freeRoom(room)
      return
    }
    if (usedKinds > 0) room.kinds.fill(0, 0, usedKinds)
    this.#bytes += bytes
    this.#free[31 - Math.clz32(room.handles.length)].push(room)
  }
}

function bytesOf(room: SampleRoom): number {
  return room.handles.length * BYTES_PER_SAMPLE
}

function makeRoom(samples: number): SampleRoom {
  return {
    handles: new Uint32Array(samples),
    times: new Float64Array(samples),
    numbers: new Float64Array(samples),
    kinds: new Uint8Array(samples),
  }
}

/** Gives the memory of a room back at once; nobody may read it any more. */
export function freeRoom({ handles, times, numbers, kinds }: SampleRoom): void {
  for (const column of [handles, times, numbers, kinds]) freeBytes(column)
}

/** Moves the columns to longer memory, with zeros behind them. */
function lengthened(room: SampleRoom, samples: number): SampleRoom {
  const move = ({ buffer }: NodeJS.TypedArray, bytes: number): ArrayBuffer =>
    (buffer as ArrayBuffer).transfer(samples * bytes)
  return {
    handles: new Uint32Array(move(room.handles, 4)),
    times: new Float64Array(move(room.times, 8)),
    numbers: new Float64Array(move(room.numbers, 8)),
    kinds: new Uint8Array(move(room.kinds, 1)),
  }
}
