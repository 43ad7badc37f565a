import { inSlices } from '../../base/index.ts'
import type { SampleBatch } from '../../store/index.ts'
import type { ComponentColumns } from './component-columns.ts'
import type { StreamColumns } from './stream-columns.ts'

/** A component and when it was last in contact. */
interface ContactEntry {
  readonly ref: number
  readonly uid: string
  readonly at: number
}

/** When each component last sent samples. Derived streams are written by the service, so they do not count. */
export class Contacts {
  readonly #components: ComponentColumns
  readonly #streams: StreamColumns

  constructor(components: ComponentColumns, streams: StreamColumns) {
    this.#components = components
    this.#streams = streams
  }

  /** Notes that the components of a batch were in contact at a time. Puts wait for it, so it allocates nothing. */
  note({ handles, count }: Pick<SampleBatch, 'handles' | 'count'>, at: number): void {
    let before = 0
    for (let sample = 0; sample < count; sample++) {
      const handle = handles[sample]
      if (handle === before) continue
      before = handle
      if (this.#streams.isDerived(handle)) continue
      this.#components.contacts.note(this.#streams.componentOf(handle), at)
    }
  }

  /** Epoch milliseconds of the last contact of a component, 0 if there was none. */
  of(ref: number): number {
    return this.#components.contacts.of(ref)
  }

  /** Notes a contact of one component. */
  noteAt(ref: number, at: number): void {
    this.#components.contacts.note(ref, at)
  }

  /** Takes in a contact that the catalog keeps. */
  learn(ref: number, at: number): void {
    this.#components.contacts.learn(ref, at)
  }

  /** Notes that the catalog keeps a contact of a component. */
  noteKept(ref: number, at: number): void {
    this.#components.contacts.noteKept(ref, at)
  }

  /** The shards, by organization, with a contact that is at least `stepMs` later than the one the catalog keeps. */
  async due(stepMs: number, shardCount: number): Promise<Map<string, Set<number>>> {
    const { contacts, uids } = this.#components
    const due = new Map<string, Set<number>>()
    await inSlices(this.#components.end, (from, until) => {
      for (let ref = from; ref < until; ref++) {
        if (!contacts.isDue(ref, stepMs) || !this.#components.has(ref)) continue
        const orgUid = this.#components.orgUidOf(ref)
        const shards = due.get(orgUid) ?? new Set()
        due.set(orgUid, shards.add(uids.shardOf(ref, shardCount)))
      }
    })
    return due
  }

  /** The refs of an organization in some shards that have a contact. */
  async inShards(
    orgUid: string,
    shards: ReadonlySet<number>,
    shardCount: number,
  ): Promise<Map<number, number[]>> {
    const { contacts, uids } = this.#components
    const found = new Map<number, number[]>()
    for (const shard of shards) found.set(shard, [])
    await inSlices(this.#components.end, (from, until) => {
      for (let ref = from; ref < until; ref++) {
        if (contacts.of(ref) === 0 || !this.#components.isOf(ref, orgUid)) continue
        found.get(uids.shardOf(ref, shardCount))?.push(ref)
      }
    })
    return found
  }

  /** The contact of a ref, undefined if its component was deleted. */
  entryOf(ref: number): ContactEntry | undefined {
    const at = this.of(ref)
    return this.#components.has(ref) && at !== 0
      ? { ref, uid: this.#components.uids.textOf(ref), at }
      : undefined
  }
}
