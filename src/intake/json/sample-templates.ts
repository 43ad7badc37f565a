import type { StreamHandle } from '../../store/index.ts'
import type { TemplateSpans } from './template-spans.ts'

/** The fields of a template: 32-bit numbers from its place on; its bytes follow. */
export const TEMPLATE_HANDLE = 0
/** The template that follows this one as a rule. */
export const TEMPLATE_NEXT = 1
/** Another template of the same stream. */
const TEMPLATE_SIBLING = 2
export const TEMPLATE_IS_TIME_FIRST = 3
export const TEMPLATE_OPENING_BYTES = 4
export const TEMPLATE_MIDDLE_BYTES = 5
/** Where the IDs lie, counted from the opening. */
export const TEMPLATE_COMP_FROM = 6
const TEMPLATE_COMP_UNTIL = 7
export const TEMPLATE_STREAM_FROM = 8
const TEMPLATE_STREAM_UNTIL = 9
/** What followed this template instead of its next one, the last time that it did not. */
const TEMPLATE_RIVAL = 10
/** Bytes before the opening, which is followed by the middle. */
export const TEMPLATE_BYTES = 44

/** Keys alone take 34 bytes of an opening. */
const OPENING_BYTES_MAX = 512
/** Room for the indentation of pretty JSON. */
const MIDDLE_BYTES_MAX = 64
const SIBLINGS_MAX = 4
const FIELDS_MIN = 1 << 10
/** 32 MB: usual templates of a third of a million streams. */
const FIELDS_MAX = 1 << 23

/**
 * Remembers for streams the bytes around the values of their samples, and which template followed which,
 * as devices send the same streams in the same order again and again. What the bytes of a template mean
 * is certain, in its organization and until clear(); the order is a guess to be checked.
 */
export class SampleTemplates {
  fields = new Uint32Array(FIELDS_MIN)
  view = new DataView(this.fields.buffer)
  /** The template of the sample before; 0 when there is none. */
  last = 0
  /** No template has place 0. */
  #used = 2
  readonly #fieldsMax: number

  constructor(fieldsMax = FIELDS_MAX) {
    this.#fieldsMax = fieldsMax
  }

  /** Forgets every template; code that keeps the place of one must forget it, too. */
  clear(): void {
    this.#used = 2
    this.last = 0
  }

  /** Whether a template of any size can be taken in. */
  hasRoom(): boolean {
    return this.#used + fieldsOf(OPENING_BYTES_MAX + MIDDLE_BYTES_MAX) <= this.#fieldsMax
  }

  /**
   * Takes in the template of a sample, and that it followed the one before. `first` is the stream's first
   * template or 0; the answer is its first template from then on.
   */
  learn(first: number, handle: StreamHandle, spans: TemplateSpans): number {
    if (spans.openingUntil - spans.openingFrom > OPENING_BYTES_MAX) return first
    if (spans.middleUntil - spans.middleFrom > MIDDLE_BYTES_MAX) return first
    let template = first
    let siblings = 0
    while (template !== 0 && !this.#is(template, spans)) {
      siblings += 1
      if (siblings === SIBLINGS_MAX) return first
      template = this.fields[template + TEMPLATE_SIBLING]
    }
    if (template !== 0) {
      this.#follow(template)
      return first
    }
    const added = this.#add(handle, spans)
    this.fields[added + TEMPLATE_SIBLING] = first
    this.#follow(added)
    return added
  }

  /** Only what comes twice takes another's place: streams that are left out at times stay expected. */
  #follow(template: number): void {
    const { fields, last } = this
    this.last = template
    if (last === 0) return
    const isNext = fields[last + TEMPLATE_NEXT] === 0 || fields[last + TEMPLATE_RIVAL] === template
    fields[last + (isNext ? TEMPLATE_NEXT : TEMPLATE_RIVAL)] = template
  }

  #is(template: number, spans: TemplateSpans): boolean {
    const { fields } = this
    const openingBytes = fields[template + TEMPLATE_OPENING_BYTES]
    const middleBytes = fields[template + TEMPLATE_MIDDLE_BYTES]
    const kept = 4 * template + TEMPLATE_BYTES
    return (
      openingBytes === spans.openingUntil - spans.openingFrom &&
      middleBytes === spans.middleUntil - spans.middleFrom &&
      isSame(spans.openingIn, spans.openingFrom, this.view, kept, openingBytes) &&
      (middleBytes === 0 ||
        isSame(spans.middleIn, spans.middleFrom, this.view, kept + openingBytes, middleBytes))
    )
  }

  #add(handle: StreamHandle, spans: TemplateSpans): number {
    const { openingFrom, openingUntil, middleFrom, middleUntil } = spans
    const openingBytes = openingUntil - openingFrom
    const template = this.#used
    this.#used += fieldsOf(openingBytes + (middleUntil - middleFrom))
    if (this.#used > this.fields.length) this.#grow()
    const { fields } = this
    fields[template + TEMPLATE_HANDLE] = handle
    fields[template + TEMPLATE_NEXT] = 0
    fields[template + TEMPLATE_RIVAL] = 0
    fields[template + TEMPLATE_IS_TIME_FIRST] = Number(spans.isTimeFirst)
    fields[template + TEMPLATE_OPENING_BYTES] = openingBytes
    fields[template + TEMPLATE_MIDDLE_BYTES] = middleUntil - middleFrom
    fields[template + TEMPLATE_COMP_FROM] = spans.compFrom - openingFrom
    fields[template + TEMPLATE_COMP_UNTIL] = spans.compUntil - openingFrom
    fields[template + TEMPLATE_STREAM_FROM] = spans.streamFrom - openingFrom
    fields[template + TEMPLATE_STREAM_UNTIL] = spans.streamUntil - openingFrom
    const kept = 4 * template + TEMPLATE_BYTES
    this.#write(kept, spans.openingIn, openingFrom, openingUntil)
    this.#write(kept + openingBytes, spans.middleIn, middleFrom, middleUntil)
    return template
  }

  #write(kept: number, view: DataView, from: number, until: number): void {
    for (let at = from; at < until; at++) this.view.setUint8(kept + at - from, view.getUint8(at))
  }

  #grow(): void {
    const fields = new Uint32Array(this.fields.length * 2)
    fields.set(this.fields)
    this.fields = fields
    this.view = new DataView(fields.buffer)
  }
}

/** Fields for a template of `bytes` bytes. The number is even, so that every template is aligned to 8 bytes. */
function fieldsOf(bytes: number): number {
  return 2 * Math.ceil((TEMPLATE_BYTES + bytes) / 8)
}

/**
 * Whether 8 or more bytes are the same in two places. They are compared as doubles: as none of the
 * bytes of a template is zero, equal doubles are equal bytes, and NaN, equal to nothing, only costs a
 * guess. The last double overlaps the one before it.
 */
export function isSame(
  view: DataView,
  from: number,
  kept: DataView,
  keptFrom: number,
  length: number,
): boolean {
  const last = from + length - 8
  const shift = keptFrom - from
  for (let at = from; at < last; at += 8) {
    if (view.getFloat64(at, true) !== kept.getFloat64(at + shift, true)) return false
  }
  return view.getFloat64(last, true) === kept.getFloat64(last + shift, true)
}
