/** Components and streams that a commit creates, in columns. */
import { invariant } from '../../base/index.ts'
import type {
  ComponentFields,
  CreateComponents,
  Labels,
  StreamDefinition,
} from '../../store/index.ts'

/** What components of one write have in common. */
export type CommonFields = CreateComponents['common']

/** The fields of a component that others may have in common with it. */
export function commonFieldsOf(fields: ComponentFields): CommonFields {
  const { folder, timeZone, createdAtMs, owner, more } = fields
  return { folder, timeZone, createdAtMs, owner, more }
}

/** Streams one after the other. Those that are alike share a definition, if it is one object. */
export class NewStreams {
  readonly ids: string[] = []
  /** Undefined while all are the IDs. */
  names: string[] | undefined
  readonly definitions: StreamDefinition[] = []
  readonly definitionOf: number[] = []
  /** By place; undefined while no stream has any. */
  labels: (Labels | undefined)[] | undefined
  series: (Labels | undefined)[] | undefined
  readonly #places = new Map<StreamDefinition, number>()

  get count(): number {
    return this.ids.length
  }

  add(id: string, name: string, definition: StreamDefinition): void {
    if (name !== id) this.names ??= [...this.ids]
    this.ids.push(id)
    this.names?.push(name)
    this.definitionOf.push(this.#placeOf(definition))
  }

  setLabels(at: number, labels: Labels): void {
    this.labels ??= []
    this.labels[at] = labels
  }

  setSeries(at: number, series: Labels): void {
    this.series ??= []
    this.series[at] = series
  }

  nameAt(at: number): string {
    return this.names?.[at] ?? this.ids[at]
  }

  definitionAt(at: number): StreamDefinition {
    return this.definitions[this.definitionOf[at]]
  }

  redefine(at: number, definition: StreamDefinition): void {
    this.definitionOf[at] = this.#placeOf(definition)
  }

  #placeOf(definition: StreamDefinition): number {
    // Most streams are like the one before.
    const last = this.definitionOf[this.definitionOf.length - 1]
    if (last !== undefined && this.definitions[last] === definition) return last
    const known = this.#places.get(definition)
    if (known !== undefined) return known
    this.#places.set(definition, this.definitions.length)
    return this.definitions.push(definition) - 1
  }
}

/** The components of one write. */
class ComponentColumns {
  /** The place of the write among those of the commit. */
  readonly write: number
  readonly common: CommonFields
  readonly uids: string[] = []
  readonly ids: string[] = []
  /** Undefined while all are the IDs. */
  names: string[] | undefined
  /** By place; undefined while no component has any. */
  addressedAs: (readonly string[])[] | undefined
  readonly streamsBefore: number[] = []
  readonly streams = new NewStreams()

  constructor(write: number, common: CommonFields) {
    this.write = write
    this.common = common
  }
}

/** Components that a commit creates with their streams: a write for all that have fields in common. */
export class NewComponents {
  readonly #orgUid: string
  readonly #columns: ComponentColumns[] = []
  #last: ComponentColumns | undefined

  constructor(orgUid: string) {
    this.#orgUid = orgUid
  }

  /**
   * Adds a component; fields are shared if they are one object. Streams that are added to what it answers are those of
   * the component, until the next one is added.
   */
  add(uid: string, id: string, name: string, common: CommonFields): NewStreams {
    const columns = this.#columnsOf(common)
    if (name !== id) columns.names ??= [...columns.ids]
    columns.uids.push(uid)
    columns.ids.push(id)
    columns.names?.push(name)
    columns.streamsBefore.push(columns.streams.count)
    return columns.streams
  }

  /** Says by which texts doors find the component that was added last. */
  addressLast(addressedAs: readonly string[]): void {
    const columns = this.#last
    invariant(columns !== undefined, 'no component was added')
    columns.addressedAs ??= []
    columns.addressedAs[columns.uids.length - 1] = addressedAs
  }

  /** The place of the write that has the component which was added last. */
  get lastWrite(): number {
    invariant(this.#last !== undefined, 'no component was added')
    return this.#last.write
  }

  /** The writes that create all of it. */
  writes(): CreateComponents[] {
    return this.#columns.map(
      ({ common, uids, ids, names, addressedAs, streamsBefore, streams }) => ({
        op: 'create',
        kind: 'component',
        orgUid: this.#orgUid,
        uid: uids[0],
        expectedRevision: 0,
        common,
        uids,
        ids,
        names,
        streamCounts: streamsBefore.map(
          (before, at) => (streamsBefore[at + 1] ?? streams.count) - before,
        ),
        streamIds: streams.ids,
        streamNames: streams.names,
        addressedAs: addressedAs && Array.from(uids, (_, at) => addressedAs[at] ?? []),
        labels: streams.labels && Array.from(streams.ids, (_, at) => streams.labels?.[at]),
        series: streams.series && Array.from(streams.ids, (_, at) => streams.series?.[at]),
        definitions: streams.definitions,
        definitionOf: streams.definitionOf,
      }),
    )
  }

  #columnsOf(common: CommonFields): ComponentColumns {
    if (this.#last?.common === common) return this.#last
    this.#last = this.#columns.find((columns) => columns.common === common)
    if (this.#last !== undefined) return this.#last
    this.#last = new ComponentColumns(this.#columns.length, common)
    this.#columns.push(this.#last)
    return this.#last
  }
}
