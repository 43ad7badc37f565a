import type { PackedId, PackedIndexRow } from '../../store/index.ts'
import type { ComponentColumns } from './component-columns.ts'
import { type StreamIndexEntry, unpackComponent, unpackStream } from './index-entry.ts'
import type { StreamColumns } from './stream-columns.ts'

/** What streams whose packed fields begin alike have in common. */
interface StreamForm {
  readonly entry: StreamIndexEntry
  /** The ID of the last one, as bytes and by its number: streams of a fleet have the same IDs. */
  readonly lastId: Uint8Array
  lastLength: number
  lastNumber: number
}

/** Ids that are held against the last one of their form; longer ones are looked up. */
const LAST_ID_LENGTH_MAX = 64
/** Forms that are remembered; then it begins again. */
const FORMS_MAX = 20_000

/** Loads what packed rows tell into the columns, at a start: no object is made for a component or stream. */
export class IndexLoader {
  readonly #components: ComponentColumns
  readonly #streams: StreamColumns
  readonly #zones = new Map<string, { readonly zone: string; readonly idStart: string }>()
  readonly #forms = new Map<string, StreamForm>()
  /** Streams come right after their component. */
  #lastComponent = 0

  constructor(components: ComponentColumns, streams: StreamColumns) {
    this.#components = components
    this.#streams = streams
  }

  /** Takes in a component or a stream; a stream whose component is not known is left out. */
  load(row: PackedIndexRow): void {
    if (row.ordinal === 0) this.#loadComponent(row)
    else this.#loadStream(row)
  }

  /** Gives the memory for a load back. */
  forget(): void {
    this.#zones.clear()
    this.#forms.clear()
  }

  #loadComponent(row: PackedIndexRow): void {
    const { orgUid, indexStart, id, headWords: words } = row
    const { zone, idStart } = this.#zones.get(indexStart) ?? this.#learnZone(indexStart)
    this.#lastComponent =
      idStart === '' && id.text === undefined
        ? this.#components.load({ orgUid, timeZone: zone, words }, id)
        : this.#components.loadText({ orgUid, timeZone: zone, words }, idStart + textOf(id))
  }

  #loadStream(row: PackedIndexRow): void {
    const component = this.#components.uids.findWords(row.headWords, this.#lastComponent)
    if (component === 0) return
    this.#lastComponent = component
    const form = this.#forms.get(row.indexStart) ?? this.#learnForm(row.indexStart)
    const { handle, ordinal } = row
    this.#streams.load({ handle, component, ordinal }, this.#idNumber(form, row.id), form.entry)
    this.#components.noteOrdinal(component, ordinal)
  }

  #idNumber(form: StreamForm, id: PackedId): number {
    const { ids } = this.#streams
    if (isLast(form, id)) return ids.numberAgain(form.lastNumber)
    const number = ids.numberOf(form.entry.streamId, id)
    const length = id.until - id.from
    form.lastLength = -1
    if (id.text !== undefined || length > LAST_ID_LENGTH_MAX) return number
    for (let at = 0; at < length; at++) form.lastId[at] = id.bytes[id.from + at]
    form.lastLength = length
    form.lastNumber = number
    return number
  }

  #learnZone(indexStart: string) {
    const { timeZone, compId } = unpackComponent(indexStart)
    if (this.#zones.size >= FORMS_MAX) this.#zones.clear()
    const known = { zone: timeZone, idStart: compId }
    this.#zones.set(indexStart, known)
    return known
  }

  #learnForm(indexStart: string): StreamForm {
    if (this.#forms.size >= FORMS_MAX) this.#forms.clear()
    const lastId = new Uint8Array(LAST_ID_LENGTH_MAX)
    const form = { entry: unpackStream(indexStart), lastId, lastLength: -1, lastNumber: 0 }
    this.#forms.set(indexStart, form)
    return form
  }
}

function isLast(
  { lastId, lastLength }: StreamForm,
  { text, bytes, from, until }: PackedId,
): boolean {
  if (text !== undefined || until - from !== lastLength) return false
  for (let at = 0; at < lastLength; at++) if (bytes[from + at] !== lastId[at]) return false
  return true
}

function textOf({ text, bytes, from, until }: PackedId): string {
  return text ?? bytes.toString('latin1', from, until)
}
