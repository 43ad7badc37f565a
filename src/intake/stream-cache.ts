import { growColumn } from '../base/index.ts'
import type { StreamHandle } from '../store/index.ts'
import { hashOfId, hashOfStream, ID_BYTES_MAX, wordOf } from './id-hash.ts'
import { IdTexts } from './id-texts.ts'
import { SampleTemplates } from './json/sample-templates.ts'
import { areUtf8, type IdSpans, type TemplateSpans } from './json/template-spans.ts'

/** Knows the streams that samples are sent to, as the index of the catalog does. */
export interface StreamResolver {
  /** Moves whenever an ID may mean another stream than before. */
  readonly generation: number
  /** The stream of these IDs; 0 when there is none. */
  resolve(orgUid: string, compId: string, streamId: string): StreamHandle | 0
  /** Whether more digits count in a stream, 0 for an unknown one, than a double has. */
  keepsDigits(handle: number): boolean
}

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
const ARENA_WORDS_MAX = 8 << 20

/** A slot is four numbers side by side, in one line of the processor's cache; free while its handle is 0. */
const SLOT_FIELDS = 4
const SLOT_HASH = 0
const SLOT_HANDLE = 1
/** Where the record of the stream begins in the arena. */
const SLOT_RECORD = 2
/** The bytes of the component's ID, and of the stream's in the upper half. */
const SLOT_LENGTHS = 3

/** A record of the arena: two numbers, then both IDs, each filled up with zeros to whole words. */
const RECORD_ORG = 0
const RECORD_TEMPLATE = 1
const RECORD_IDS = 2

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
  #slots = new Int32Array(SLOTS_MIN * SLOT_FIELDS)
  /** The slot of the stream found last, where its fields begin; -1 when it is not kept. */
  #foundSlot = -1
  #arena = new Int32Array(SLOTS_MIN * 4)
  #arenaUsed = 0
  readonly #texts = new IdTexts()
  /** The IDs that find() last found no stream for; '' when they are no texts. */
  missedCompId = ''
  missedStreamId = ''

  constructor(resolver: StreamResolver, templates = new SampleTemplates()) {
    this.#resolver = resolver
    this.templates = templates
  }

  /** Whether more digits count in a stream, 0 for an unknown one, than a double has. */
  keepsDigits(handle: number): boolean {
    return this.#resolver.keepsDigits(handle)
  }

  /** That of the streams that find() returns. */
  get generation(): number {
    return this.#seenGeneration
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
    const { compFrom, compUntil, streamFrom, streamUntil } = spans
    const comp = hashOfId(bytes, compFrom, compUntil)
    const stream = hashOfId(bytes, streamFrom, streamUntil)
    const hash = hashOfStream(comp, stream, this.#org)
    const slots = this.#slots
    let slot = this.#firstSlot(hash)
    for (; slots[slot + SLOT_HANDLE] !== 0; slot = this.#nextSlot(slot)) {
      if (slots[slot + SLOT_HASH] !== hash || !this.#isAt(slot, bytes, spans)) continue
      this.#foundSlot = slot
      return slots[slot + SLOT_HANDLE] as StreamHandle
    }
    this.missedCompId = ''
    // What decoding would change names no stream.
    if (!areUtf8(bytes, spans)) return 0
    const compId = bytes.toString('utf8', compFrom, compUntil)
    const streamId = this.#texts.textOf(bytes, streamFrom, streamUntil, stream)
    const handle = this.#resolver.resolve(this.#orgUid, compId, streamId)
    this.#foundSlot = handle === 0 ? -1 : this.#keep(hash, handle, bytes, spans)
    this.missedCompId = compId
    this.missedStreamId = streamId
    return handle
  }

  /**
   * As find(), for a stream that was found before, by the hashes of its IDs; 0 for any other. At least
   * three bytes follow each ID.
   */
  findKnown(
    view: DataView,
    spans: IdSpans,
    compHash: number,
    streamHash: number,
  ): StreamHandle | 0 {
    const hash = hashOfStream(compHash, streamHash, this.#org)
    const slots = this.#slots
    let slot = this.#firstSlot(hash)
    for (; slots[slot + SLOT_HANDLE] !== 0; slot = this.#nextSlot(slot)) {
      if (slots[slot + SLOT_HASH] !== hash || !this.#isViewed(slot, view, spans)) continue
      this.#foundSlot = slot
      return slots[slot + SLOT_HANDLE] as StreamHandle
    }
    return 0
  }

  /** Takes in how the sample was written whose stream was found last, for the next one like it. */
  learnTemplate(spans: TemplateSpans): void {
    const slot = this.#foundSlot
    if (slot < 0) return
    if (!this.templates.hasRoom()) {
      // The spans may lie in a template that is forgotten by this.
      this.#forgetTemplates()
      return
    }
    const handle = this.#slots[slot + SLOT_HANDLE] as StreamHandle
    const place = this.#slots[slot + SLOT_RECORD] + RECORD_TEMPLATE
    this.#arena[place] = this.templates.learn(this.#arena[place], handle, spans)
  }

  #forgetTemplates(): void {
    this.templates.clear()
    for (let slot = 0; slot < this.#slots.length; slot += SLOT_FIELDS) {
      if (this.#slots[slot + SLOT_HANDLE] === 0) continue
      this.#arena[this.#slots[slot + SLOT_RECORD] + RECORD_TEMPLATE] = 0
    }
  }

  #firstSlot(hash: number): number {
    return (hash & (this.#slotCount - 1)) * SLOT_FIELDS
  }

  #nextSlot(slot: number): number {
    const next = slot + SLOT_FIELDS
    return next === this.#slots.length ? 0 : next
  }

  #isAt(slot: number, bytes: Buffer, spans: IdSpans): boolean {
    if (this.#slots[slot + SLOT_LENGTHS] !== lengthsOf(spans)) return false
    const record = this.#slots[slot + SLOT_RECORD]
    if (this.#arena[record + RECORD_ORG] !== this.#org) return false
    let word = record + RECORD_IDS
    for (let at = spans.compFrom; at < spans.compUntil; at += 4, word++) {
      if (this.#arena[word] !== wordOf(bytes, at, spans.compUntil)) return false
    }
    for (let at = spans.streamFrom; at < spans.streamUntil; at += 4, word++) {
      if (this.#arena[word] !== wordOf(bytes, at, spans.streamUntil)) return false
    }
    return true
  }

  /** As #isAt(), by loads of whole words. */
  #isViewed(slot: number, view: DataView, spans: IdSpans): boolean {
    if (this.#slots[slot + SLOT_LENGTHS] !== lengthsOf(spans)) return false
    const arena = this.#arena
    const record = this.#slots[slot + SLOT_RECORD]
    if (arena[record + RECORD_ORG] !== this.#org) return false
    const comp = record + RECORD_IDS
    const { compFrom, compUntil, streamFrom, streamUntil } = spans
    if (!areWords(view, compFrom, compUntil, arena, comp)) return false
    const stream = comp + wordsFor(compUntil - compFrom)
    return areWords(view, streamFrom, streamUntil, arena, stream)
  }

  /** The slot that a stream was put into; -1 when it does not fit. */
  #keep(hash: number, handle: number, bytes: Buffer, spans: IdSpans): number {
    const { compFrom, compUntil, streamFrom, streamUntil } = spans
    if (compUntil - compFrom > ID_BYTES_MAX || streamUntil - streamFrom > ID_BYTES_MAX) return -1
    const words = RECORD_IDS + wordsFor(compUntil - compFrom) + wordsFor(streamUntil - streamFrom)
    this.#makeRoom(words)
    const arena = this.#arena
    const record = this.#arenaUsed
    arena[record + RECORD_ORG] = this.#org
    arena[record + RECORD_TEMPLATE] = 0
    let word = record + RECORD_IDS
    for (let at = compFrom; at < compUntil; at += 4) arena[word++] = wordOf(bytes, at, compUntil)
    for (let at = streamFrom; at < streamUntil; at += 4) {
      arena[word++] = wordOf(bytes, at, streamUntil)
    }
    const slot = this.#freeSlot(hash)
    this.#slots[slot + SLOT_HASH] = hash
    this.#slots[slot + SLOT_HANDLE] = handle
    this.#slots[slot + SLOT_RECORD] = record
    this.#slots[slot + SLOT_LENGTHS] = lengthsOf(spans)
    this.#arenaUsed += words
    this.#used += 1
    return slot
  }

  #freeSlot(hash: number): number {
    let slot = this.#firstSlot(hash)
    while (this.#slots[slot + SLOT_HANDLE] !== 0) slot = this.#nextSlot(slot)
    return slot
  }

  #makeRoom(words: number): void {
    if (this.#arenaUsed + words > this.#arena.length) {
      if (this.#arena.length * 2 > ARENA_WORDS_MAX) {
        this.#clear()
      } else {
        this.#arena = growColumn(this.#arena, this.#arena.length * 2)
      }
    }
    if (this.#used * 2 < this.#slotCount) return
    if (this.#slotCount * 2 > SLOTS_MAX) this.#clear()
    else this.#widen()
  }

  #widen(): void {
    const old = this.#slots
    this.#slotCount *= 2
    this.#slots = new Int32Array(this.#slotCount * SLOT_FIELDS)
    for (let from = 0; from < old.length; from += SLOT_FIELDS) {
      if (old[from + SLOT_HANDLE] === 0) continue
      const slot = this.#freeSlot(old[from + SLOT_HASH])
      for (let field = 0; field < SLOT_FIELDS; field++) {
        this.#slots[slot + field] = old[from + field]
      }
    }
  }

  #clear(): void {
    this.#slots.fill(0)
    this.#used = 0
    this.#arenaUsed = 0
    this.templates.clear()
  }
}

function lengthsOf({ compFrom, compUntil, streamFrom, streamUntil }: IdSpans): number {
  return (compUntil - compFrom) | ((streamUntil - streamFrom) << 16)
}

function wordsFor(bytes: number): number {
  return (bytes + 3) >> 2
}

/** Whether the ID at from ≤ index < until has the words at a place, the last filled up with zeros. */
function areWords(
  view: DataView,
  from: number,
  until: number,
  words: Int32Array,
  place: number,
): boolean {
  let kept = place
  let at = from
  for (; at + 3 < until; at += 4, kept++) {
    if (words[kept] !== view.getInt32(at, true)) return false
  }
  if (at === until) return true
  return words[kept] === (view.getInt32(at, true) & ((1 << (8 * (until - at))) - 1))
}
