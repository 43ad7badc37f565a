import { randomInt } from 'node:crypto'
import type { StreamHandle } from '../store/index.ts'
import { SampleTemplates } from './json/sample-templates.ts'
import { areUtf8, type IdSpans, type TemplateSpans } from './json/template-spans.ts'
import type { StreamResolver } from './stream-resolver.ts'

/** Whose samples are read, and how their streams are found: the same for every way in. */
export interface StreamSource {
  readonly cache: StreamCache
  readonly orgUid: string
  /** Streams that a call may create; more missing ones are refused while they are read. */
  readonly createMax: number
}

const SLOTS_MIN = 1 << 12
/** At half load: half a million streams known by their bytes, 16 MB of slots. */
const SLOTS_MAX = 1 << 20
const ARENA_BYTES_MAX = 32 << 20

/**
 * Knows streams by the bytes that their IDs were sent as, so that a known stream costs no string. Only
 * hits are kept. It empties itself when `generation` moves, which the catalog does whenever an ID
 * may mean another stream than before, and when it is full.
 */
export class StreamCache {
  /** How the samples of known streams were written; emptied whenever a stream may be forgotten. */
  readonly templates: SampleTemplates
  readonly #resolver: StreamResolver
  #seenGeneration = -1
  readonly #orgs = new Map<string, number>()
  #orgUid = ''
  #org = 0
  #slotCount = SLOTS_MIN
  #used = 0
  #hashes = new Uint32Array(SLOTS_MIN)
  #handles = new Uint32Array(SLOTS_MIN)
  #orgOf = new Uint32Array(SLOTS_MIN)
  #offsets = new Uint32Array(SLOTS_MIN)
  #compLengths = new Uint16Array(SLOTS_MIN)
  #streamLengths = new Uint16Array(SLOTS_MIN)
  #firstTemplates = new Uint32Array(SLOTS_MIN)
  /** Where the stream found last is kept; -1 when it is not. */
  #foundSlot = -1
  #arena = Buffer.allocUnsafe(SLOTS_MIN * 16)
  #arenaUsed = 0

  constructor(resolver: StreamResolver, templates = new SampleTemplates()) {
    this.#resolver = resolver
    this.templates = templates
  }

  /** Whether more digits count in a stream, 0 for an unknown one, than a double has. */
  keepsDigits(handle: number): boolean {
    return this.#resolver.keepsDigits(handle)
  }

  /** Says whose streams find() looks for until the next begin(); call it once per body or slice. */
  begin(orgUid: string): void {
    const { generation } = this.#resolver
    if (generation !== this.#seenGeneration) {
      this.#clear()
      this.#seenGeneration = generation
    }
    let org = this.#orgs.get(orgUid)
    if (org === undefined) {
      org = this.#orgs.size + 1
      this.#orgs.set(orgUid, org)
    }
    this.#orgUid = orgUid
    this.#org = org
    this.templates.last = 0
  }

  /** The stream whose raw IDs lie at the spans, or 0; nothing is allocated for a known one. */
  find(bytes: Buffer, spans: IdSpans): StreamHandle | 0 {
    const org = this.#org
    const { compFrom, compUntil, streamFrom, streamUntil } = spans
    let hash = hashOf(bytes, compFrom, compUntil, SEED ^ org)
    hash = hashOf(bytes, streamFrom, streamUntil, hash) >>> 0
    const mask = this.#slotCount - 1
    let slot = hash & mask
    for (; this.#handles[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#hashes[slot] !== hash || this.#orgOf[slot] !== org) continue
      if (!this.#isAt(slot, bytes, spans)) continue
      this.#foundSlot = slot
      return this.#handles[slot] as StreamHandle
    }
    // What decoding would change names no stream.
    if (!areUtf8(bytes, spans)) return 0
    const compId = bytes.toString('utf8', compFrom, compUntil)
    const streamId = bytes.toString('utf8', streamFrom, streamUntil)
    const handle = this.#resolver.resolve(this.#orgUid, compId, streamId)
    this.#foundSlot = handle === 0 ? -1 : this.#keep({ hash, org, handle }, bytes, spans)
    return handle
  }

  /** Takes in how the sample was written whose stream was found last, for the next one like it. */
  learnTemplate(spans: TemplateSpans): void {
    const slot = this.#foundSlot
    if (slot < 0) return
    if (!this.templates.hasRoom()) {
      // The spans may lie in a template that is forgotten by this.
      this.templates.clear()
      this.#firstTemplates.fill(0)
      return
    }
    const handle = this.#handles[slot] as StreamHandle
    this.#firstTemplates[slot] = this.templates.learn(this.#firstTemplates[slot], handle, spans)
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

  /** The slot that a stream was put into; -1 when it does not fit. */
  #keep(
    entry: { hash: number; org: number; handle: number },
    bytes: Buffer,
    spans: IdSpans,
  ): number {
    const compLength = spans.compUntil - spans.compFrom
    const streamLength = spans.streamUntil - spans.streamFrom
    const length = compLength + streamLength
    if (length > 0xffff) return -1
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
    this.#firstTemplates[slot] = 0
    this.#arenaUsed += length
    this.#used += 1
    return slot
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
      firstTemplates: this.#firstTemplates,
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
      this.#firstTemplates[slot] = old.firstTemplates[from]
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
    this.#firstTemplates = new Uint32Array(slotCount)
  }

  #clear(): void {
    this.#handles.fill(0)
    this.#used = 0
    this.#arenaUsed = 0
    this.templates.clear()
  }
}

/** Another in every process, so that nobody can choose IDs that all fall into one slot. */
const SEED = randomInt(2 ** 31)

/**
 * Takes four bytes at a time: the multiplications wait for each other. Upper bits are brought down
 * before one, as it would leave the uppermost by itself whatever the seed.
 */
function hashOf(bytes: Buffer, from: number, until: number, seed: number): number {
  let hash = seed ^ (until - from)
  let at = from
  for (; at + 3 < until; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    hash ^= word
    hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  }
  for (; at < until; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
  return hash ^ (hash >>> 15)
}
