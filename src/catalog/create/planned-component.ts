import type { Labels, StreamDefinition, StreamHandle } from '../../store/index.ts'
import type { ComponentEntry, StreamIndex } from '../index/stream-index.ts'
import type { StreamKind } from '../shape/stream-kind.ts'
import type { CreationAttempt } from './creation.ts'
import type { PreparedComponent, PreparedStream, WantedComponent } from './creation-plan.ts'
import type { NewStreams } from './new-components.ts'

/** Streams of a plan up to which an ID is looked for among all of them. */
const FEW = 16
const NO_WRITE = -1

/** The target of a stream that is made, by its place among those; handles are positive. */
export function madeAt(place: number): number {
  return -1 - place
}

/** The place of a target among the streams that are made, below 0 for a stream that is there. */
export function placeOfTarget(target: number): number {
  return -1 - target
}

/** What most plans do not need. */
interface RareParts {
  /** The streams asked for, where they are not just those that are made, in this order. */
  targets?: number[]
  placesById?: Map<string, number>
  placesByPosition?: Map<number, number>
  placesForAnswer?: Set<number>
  stored?: readonly StreamHandle[]
  reserved?: ReadonlySet<string>
  takenNumbers?: { from: number; until: number }
  addedUids?: readonly string[]
  adopted?: Set<number>
}

interface PlanStart {
  readonly uid: string
  readonly timeZone: string
  /** The component if it is there. */
  readonly component?: ComponentEntry
  /** Where the streams are added that are made. */
  readonly made: NewStreams
  /** The place of the write that makes the component. */
  readonly write?: number
}

/** A component of a creation: what it has, and the streams that it will have more. */
export class PlannedComponent implements PreparedComponent {
  readonly uid: string
  readonly timeZone: string
  readonly component: ComponentEntry | undefined
  readonly wanted: WantedComponent
  /** The streams that are made stand in these from the first on, in definition order. */
  readonly made: NewStreams
  readonly first: number
  /** How many streams are made. */
  addedCount = 0
  /** The place of the write that makes the component, below 0 where it is there. */
  readonly write: number
  readonly #creation: CreationAttempt
  #rare: RareParts | undefined

  constructor(creation: CreationAttempt, wanted: WantedComponent, start: PlanStart) {
    this.#creation = creation
    this.wanted = wanted
    this.uid = start.uid
    this.timeZone = start.timeZone
    this.component = start.component
    this.made = start.made
    this.first = start.made.count
    this.write = start.write ?? NO_WRITE
  }

  /** Plans a stream; a position in the definition order may lead to it. */
  add(id: string, name: string, definition: StreamDefinition, position?: number): number {
    const place = this.addedCount
    this.addedCount += 1
    this.made.add(id, name, definition)
    if (id !== '') this.#rare?.placesById?.set(id, place)
    if (position !== undefined) {
      this.#rareParts.placesByPosition ??= new Map()
      this.#rareParts.placesByPosition.set(position, place)
    }
    return place
  }

  idAt(place: number): string {
    return this.made.ids[this.first + place]
  }

  definitionAt(place: number): StreamDefinition {
    return this.made.definitionAt(this.first + place)
  }

  redefine(place: number, definition: StreamDefinition): void {
    this.made.redefine(this.first + place, definition)
  }

  labelsAt(place: number): Labels | undefined {
    return this.made.labels?.[this.first + place]
  }

  seriesAt(place: number): Labels | undefined {
    return this.made.series?.[this.first + place]
  }

  setLabels(place: number, labels: Labels): void {
    this.made.setLabels(this.first + place, labels)
  }

  setSeries(place: number, series: Labels): void {
    this.made.setSeries(this.first + place, series)
  }

  /** The streams that are there and get a series. */
  get adopted(): Set<number> {
    this.#rareParts.adopted ??= new Set()
    return this.#rareParts.adopted
  }

  /** The place of the planned stream with an ID, undefined when there is none. */
  find(id: string): number | undefined {
    if (id === '') return undefined
    if (this.addedCount > FEW) return this.#placesById.get(id)
    const at = this.made.ids.indexOf(id, this.first)
    return at < 0 ? undefined : at - this.first
  }

  /** The place of the planned stream that a position leads to, undefined when there is none. */
  findAt(position: number): number | undefined {
    return this.#rare?.placesByPosition?.get(position)
  }

  /** Says which stream was asked for at a place: the handle of one that is there, or one that is made. */
  setTarget(at: number, target: number): void {
    if (this.#rare?.targets === undefined) {
      // Most components ask for just those that are made.
      if (target === madeAt(at)) return
      const { length } = this.wanted.streams
      this.#rareParts.targets = Array.from({ length }, (_, place) => madeAt(place))
    }
    const { targets } = this.#rareParts
    if (targets !== undefined) targets[at] = target
  }

  targetAt(at: number): number {
    return this.#rare?.targets?.[at] ?? madeAt(at)
  }

  /** Notes that an answer alone asks for a planned stream. */
  noteForAnswer(place: number): void {
    this.#rareParts.placesForAnswer ??= new Set()
    this.#rareParts.placesForAnswer.add(place)
  }

  /** The streams that the component has, in definition order; read once, there may be very many. */
  get stored(): readonly StreamHandle[] {
    this.#rareParts.stored ??= this.component?.streams ?? []
    return this.#rareParts.stored
  }

  /** IDs that streams are wanted by: none is made up for another. */
  get reserved(): ReadonlySet<string> {
    const named = () => this.wanted.streams.filter(({ isRequested }) => isRequested !== true)
    this.#rareParts.reserved ??= new Set(named().map(({ streamId = '' }) => streamId))
    return this.#rareParts.reserved
  }

  /** Numbers that all are taken as `stream1` is: where the look for a free one led last. */
  get takenNumbers(): { from: number; until: number } {
    this.#rareParts.takenNumbers ??= { from: 0, until: 0 }
    return this.#rareParts.takenNumbers
  }

  /** The UIDs of the streams that are added to a component that is there. */
  get addedUids(): readonly string[] {
    return this.#rare?.addedUids ?? []
  }

  set addedUids(uids: readonly string[]) {
    this.#rareParts.addedUids = uids
  }

  get streams(): readonly PreparedStream[] {
    const { index } = this.#creation.deps.base.documents
    return this.wanted.streams.map((_, at) => {
      const target = this.targetAt(at)
      return target > 0 ? describeStored(index, target) : this.#describeMade(placeOfTarget(target))
    })
  }

  get alike(): Omit<PreparedStream, 'handle' | 'streamId'> | undefined {
    const { made, first, addedCount, component } = this
    const isOther = this.#rare?.targets !== undefined || this.#rare?.placesForAnswer !== undefined
    if (component !== undefined || addedCount === 0 || isOther) return undefined
    for (let at = first + 1; at < first + addedCount; at++) {
      if (made.definitionOf[at] !== made.definitionOf[first]) return undefined
    }
    return this.#describeMade(0)
  }

  #describeMade(place: number): PreparedStream {
    const { streamKind, valueCode, isDerived, grid } = this.definitionAt(place)
    return {
      handle: 0,
      streamId: this.idAt(place),
      kind: streamKind as StreamKind,
      valueCode,
      isDerived,
      grid,
      isMadeForAnswer: this.#rare?.placesForAnswer?.has(place) === true,
    }
  }

  get #placesById(): Map<string, number> {
    const rare = this.#rareParts
    if (rare.placesById !== undefined) return rare.placesById
    rare.placesById = new Map()
    for (let place = 0; place < this.addedCount; place++) {
      const id = this.idAt(place)
      if (id !== '') rare.placesById.set(id, place)
    }
    return rare.placesById
  }

  get #rareParts(): RareParts {
    this.#rare ??= {}
    return this.#rare
  }
}

function describeStored(index: StreamIndex, handle: number): PreparedStream {
  return {
    handle: handle as StreamHandle,
    streamId: index.streamIdOf(handle),
    kind: index.kindOf(handle),
    valueCode: index.valueCodeOf(handle),
    isDerived: index.isDerived(handle),
    grid: index.gridOf(handle),
    isMadeForAnswer: false,
  }
}
