import type { StreamHandle } from '../../store/index.ts'
import type { FormSpans } from './template-spans.ts'

/** The fields of a form: 32-bit numbers from its place on; its bytes follow. */
export const FORM_HANDLE = 0
/** The form that follows this one as a rule. */
export const FORM_NEXT = 1
/** Another form of the same stream. */
const FORM_SIBLING = 2
export const FORM_IS_TIME_FIRST = 3
export const FORM_OPENING_BYTES = 4
export const FORM_MIDDLE_BYTES = 5
/** Where the IDs lie, counted from the opening. */
export const FORM_COMP_FROM = 6
export const FORM_COMP_UNTIL = 7
export const FORM_STREAM_FROM = 8
export const FORM_STREAM_UNTIL = 9
/** What followed this form instead of its next one, the last time that it did not. */
const FORM_RIVAL = 10
/** The opening and then the middle begin so many bytes on. */
export const FORM_BYTES = 44

/** Keys alone take 34 bytes of an opening. */
const OPENING_BYTES_MAX = 512
/** Room for the indentation of pretty JSON. */
const MIDDLE_BYTES_MAX = 64
const SIBLINGS_MAX = 4
const FIELDS_MIN = 1 << 10
/** 32 MB: usual forms of a third of a million streams. */
const FIELDS_MAX = 1 << 23

/**
 * Remembers for streams the bytes around the values of their samples, and which form followed which,
 * as devices send the same streams in the same order again and again. What the bytes of a form mean
 * is certain, in its organization and until clear(); the order is a guess to be checked.
 */
export class SampleForms {
  fields = new Uint32Array(FIELDS_MIN)
  view = new DataView(this.fields.buffer)
  /** The form of the sample before; 0 when there is none. */
  last = 0
  /** No form has place 0. */
  #used = 2
  readonly #fieldsMax: number

  constructor(fieldsMax = FIELDS_MAX) {
    this.#fieldsMax = fieldsMax
  }

  /** Forgets every form; whoever keeps the place of one must forget it, too. */
  clear(): void {
    this.#used = 2
    this.last = 0
  }

  /** Whether a form of any size can be taken in. */
  hasRoom(): boolean {
    return this.#used + fieldsOf(OPENING_BYTES_MAX + MIDDLE_BYTES_MAX) <= this.#fieldsMax
  }

  /**
   * Takes in the form of a sample, and that it followed the one before. `first` is the stream's first
   * form or 0; the answer is its first form from then on.
   */
  learn(first: number, handle: StreamHandle, spans: FormSpans): number {
    if (spans.openingUntil - spans.openingFrom > OPENING_BYTES_MAX) return first
    if (spans.middleUntil - spans.middleFrom > MIDDLE_BYTES_MAX) return first
    let form = first
    let siblings = 0
    while (form !== 0 && !this.#is(form, spans)) {
      siblings += 1
      if (siblings === SIBLINGS_MAX) return first
      form = this.fields[form + FORM_SIBLING]
    }
    if (form !== 0) {
      this.#follow(form)
      return first
    }
    const added = this.#add(handle, spans)
    this.fields[added + FORM_SIBLING] = first
    this.#follow(added)
    return added
  }

  /** Only what comes twice takes another's place: streams that are left out at times stay expected. */
  #follow(form: number): void {
    const { fields, last } = this
    this.last = form
    if (last === 0) return
    const isNext = fields[last + FORM_NEXT] === 0 || fields[last + FORM_RIVAL] === form
    fields[last + (isNext ? FORM_NEXT : FORM_RIVAL)] = form
  }

  #is(form: number, spans: FormSpans): boolean {
    const { fields } = this
    const openingBytes = fields[form + FORM_OPENING_BYTES]
    const middleBytes = fields[form + FORM_MIDDLE_BYTES]
    const kept = 4 * form + FORM_BYTES
    return (
      openingBytes === spans.openingUntil - spans.openingFrom &&
      middleBytes === spans.middleUntil - spans.middleFrom &&
      isSame(spans.openingIn, spans.openingFrom, this.view, kept, openingBytes) &&
      (middleBytes === 0 ||
        isSame(spans.middleIn, spans.middleFrom, this.view, kept + openingBytes, middleBytes))
    )
  }

  #add(handle: StreamHandle, spans: FormSpans): number {
    const { openingFrom, openingUntil, middleFrom, middleUntil } = spans
    const openingBytes = openingUntil - openingFrom
    const form = this.#used
    this.#used += fieldsOf(openingBytes + (middleUntil - middleFrom))
    if (this.#used > this.fields.length) this.#grow()
    const { fields } = this
    fields[form + FORM_HANDLE] = handle
    fields[form + FORM_NEXT] = 0
    fields[form + FORM_RIVAL] = 0
    fields[form + FORM_IS_TIME_FIRST] = Number(spans.isTimeFirst)
    fields[form + FORM_OPENING_BYTES] = openingBytes
    fields[form + FORM_MIDDLE_BYTES] = middleUntil - middleFrom
    fields[form + FORM_COMP_FROM] = spans.compFrom - openingFrom
    fields[form + FORM_COMP_UNTIL] = spans.compUntil - openingFrom
    fields[form + FORM_STREAM_FROM] = spans.streamFrom - openingFrom
    fields[form + FORM_STREAM_UNTIL] = spans.streamUntil - openingFrom
    const kept = 4 * form + FORM_BYTES
    this.#write(kept, spans.openingIn, openingFrom, openingUntil)
    this.#write(kept + openingBytes, spans.middleIn, middleFrom, middleUntil)
    return form
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

/** Fields for a form of so many bytes; an even number, so that every form is aligned to 8 bytes. */
function fieldsOf(bytes: number): number {
  return 2 * Math.ceil((FORM_BYTES + bytes) / 8)
}

/**
 * Whether 8 or more bytes are the same in two places. They are compared as doubles: as none of the
 * bytes of a form is zero, equal doubles are equal bytes, and NaN, equal to nothing, only costs a
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
