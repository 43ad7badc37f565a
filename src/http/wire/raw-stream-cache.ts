import type { StreamHandle } from '../../store/index.ts'

/** Finds a stream by its IDs; 0 when there is none. */
export type StreamLookUp = (orgUid: string, compId: string, streamId: string) => StreamHandle | 0

const SLOTS_MIN = 1 << 12
/** At half load: half a million streams known by their bytes, 16 MB of slots. */
const SLOTS_MAX = 1 << 20
const ARENA_BYTES_MAX = 32 << 20

/** Where the two IDs of a sample lie in a body: from ≤ index < until, quotes left out. */
export interface IdSpans {
  compFrom: number
  compUntil: number
  streamFrom: number
  streamUntil: number
}

/**
 * Knows streams by the bytes their IDs had in a body, so that a known stream costs no string. Only
 * hits are kept. It empties itself when `generation` moves, which the catalog does whenever an ID
 * may mean another stream than before, and when it is full.
 */
export class RawStreamCache {
  readonly #lookUp: StreamLookUp
  readonly #generation: () => number
  #seenGeneration = -1
  readonly #orgs = new Map<string, number>()
  #slotCount = SLOTS_MIN
  #used = 0
  #hashes = new Uint32Array(SLOTS_MIN)
  #handles = new Uint32Array(SLOTS_MIN)
  #orgOf = new Uint32Array(SLOTS_MIN)
  #offsets = new Uint32Array(SLOTS_MIN)
  #compLengths = new Uint16Array(SLOTS_MIN)
  #streamLengths = new Uint16Array(SLOTS_MIN)
  #arena = Buffer.allocUnsafe(SLOTS_MIN * 16)
  #arenaUsed = 0

  constructor(lookUp: StreamLookUp, generation: () => number) {
    this.#lookUp = lookUp
    this.#generation = generation
  }

  /** The small number of an organization, to be passed to `find`; call it once per body or slice. */
  begin(orgUid: string): number {
    const generation = this.#generation()
    if (generation !== this.#seenGeneration) {
      this.#clear()
      this.#seenGeneration = generation
    }
    let org = this.#orgs.get(orgUid)
    if (org === undefined) {
      org = this.#orgs.size + 1
      this.#orgs.set(orgUid, org)
    }
    return org
  }

  /** The stream whose raw IDs lie at the spans, or 0; nothing is allocated for a known one. */
  find(orgUid: string, org: number, bytes: Buffer, spans: IdSpans): StreamHandle | 0 {
    const { compFrom, compUntil, streamFrom, streamUntil } = spans
    let hash = org | 0
    for (let at = compFrom; at < compUntil; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
    hash = Math.imul(hash ^ 0x1ff, 0x01000193)
    for (let at = streamFrom; at < streamUntil; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
    hash = (hash ^ (hash >>> 15)) >>> 0
    const mask = this.#slotCount - 1
    let slot = hash & mask
    for (; this.#handles[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#hashes[slot] !== hash || this.#orgOf[slot] !== org) continue
      if (this.#isAt(slot, bytes, spans)) return this.#handles[slot] as StreamHandle
    }
    const compId = bytes.toString('utf8', compFrom, compUntil)
    const streamId = bytes.toString('utf8', streamFrom, streamUntil)
    const handle = this.#lookUp(orgUid, compId, streamId)
    if (handle !== 0) this.#keep({ hash, org, handle }, bytes, spans)
    return handle
  }

  #isAt(slot: number, bytes: Buffer, spans: IdSpans): boolean {
    const compLength = spans.compUntil - spans.compFrom
    const streamLength = spans.streamUntil - spans.streamFrom
    if (this.#compLengths[slot] !== compLength) return false
    if (this.#streamLengths[slot] !== streamLength) return false
    const arena = this.#arena
    let kept = this.#offsets[slot]
    for (let at = spans.compFrom; at < spans.compUntil; at++, kept++) {
      if (arena[kept] !== bytes[at]) return false
    }
    for (let at = spans.streamFrom; at < spans.streamUntil; at++, kept++) {
      if (arena[kept] !== bytes[at]) return false
    }
    return true
  }

  #keep(entry: { hash: number; org: number; handle: number }, bytes: Buffer, spans: IdSpans): void {
    const compLength = spans.compUntil - spans.compFrom
    const streamLength = spans.streamUntil - spans.streamFrom
    const length = compLength + streamLength
    if (length > 0xffff) return
    if (this.#used * 2 >= this.#slotCount || this.#arenaUsed + length > this.#arena.length) {
      this.#makeRoom(length)
    }
    bytes.copy(this.#arena, this.#arenaUsed, spans.compFrom, spans.compUntil)
    bytes.copy(this.#arena, this.#arenaUsed + compLength, spans.streamFrom, spans.streamUntil)
    const slot = this.#freeSlot(entry.hash)
    this.#hashes[slot] = entry.hash
    this.#handles[slot] = entry.handle
    this.#orgOf[slot] = entry.org
    this.#offsets[slot] = this.#arenaUsed
    this.#compLengths[slot] = compLength
    this.#streamLengths[slot] = streamLength
    this.#arenaUsed += length
    this.#used += 1
  }

  #freeSlot(hash: number): number {
    const mask = this.#slotCount - 1
    let slot = hash & mask
    while (this.#handles[slot] !== 0) slot = (slot + 1) & mask
    return slot
  }

  #makeRoom(length: number): void {
    if (this.#arenaUsed + length > this.#arena.length) {
      if (this.#arena.length * 2 > ARENA_BYTES_MAX) {
        this.#clear()
      } else {
        const arena = Buffer.allocUnsafe(this.#arena.length * 2 + length)
        this.#arena.copy(arena, 0, 0, this.#arenaUsed)
        this.#arena = arena
      }
    }
    if (this.#used * 2 < this.#slotCount) return
    if (this.#slotCount * 2 > SLOTS_MAX) this.#clear()
    else this.#widen()
  }

  #widen(): void {
    const old = {
      hashes: this.#hashes,
      handles: this.#handles,
      orgOf: this.#orgOf,
      offsets: this.#offsets,
      compLengths: this.#compLengths,
      streamLengths: this.#streamLengths,
    }
    this.#allocate(this.#slotCount * 2)
    for (let from = 0; from < old.handles.length; from++) {
      if (old.handles[from] === 0) continue
      const slot = this.#freeSlot(old.hashes[from])
      this.#hashes[slot] = old.hashes[from]
      this.#handles[slot] = old.handles[from]
      this.#orgOf[slot] = old.orgOf[from]
      this.#offsets[slot] = old.offsets[from]
      this.#compLengths[slot] = old.compLengths[from]
      this.#streamLengths[slot] = old.streamLengths[from]
    }
  }

  #allocate(slotCount: number): void {
    this.#slotCount = slotCount
    this.#hashes = new Uint32Array(slotCount)
    this.#handles = new Uint32Array(slotCount)
    this.#orgOf = new Uint32Array(slotCount)
    this.#offsets = new Uint32Array(slotCount)
    this.#compLengths = new Uint16Array(slotCount)
    this.#streamLengths = new Uint16Array(slotCount)
  }

  #clear(): void {
    this.#handles.fill(0)
    this.#used = 0
    this.#arenaUsed = 0
  }
}
