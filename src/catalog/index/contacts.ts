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
  due(stepMs: number, shardCount: number): Map<string, Set<number>> {
    const due = new Map<string, Set<number>>()
    this.#components.each((ref) => {
      if (!this.#components.contacts.isDue(ref, stepMs)) return
      const orgUid = this.#components.orgUidOf(ref)
      const shards = due.get(orgUid) ?? new Set()
      due.set(orgUid, shards.add(this.#components.uids.shardOf(ref, shardCount)))
    })
    return due
  }

  /** The contacts of an organization in some shards. */
  inShards(
    orgUid: string,
    shards: ReadonlySet<number>,
    shardCount: number,
  ): Map<number, ContactEntry[]> {
    const { contacts, uids } = this.#components
    const found = new Map<number, ContactEntry[]>()
    for (const ref of this.#components.refsOf(orgUid)) {
      const at = contacts.of(ref)
      const shard = uids.shardOf(ref, shardCount)
      if (at === 0 || !shards.has(shard)) continue
      const entries = found.get(shard) ?? []
      found.set(shard, entries)
      entries.push({ ref, uid: uids.textOf(ref), at })
    }
    return found
  }
}
