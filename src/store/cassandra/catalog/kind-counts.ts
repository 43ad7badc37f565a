import type { CatalogLimit, DocumentKey } from '../../catalog-port.ts'
import type { DocumentHead } from './catalog-reader.ts'
import type { StoredUsage } from './log-entry.ts'

/** Documents of a kind for which one partition of their lists is enough, and by which further ones come. */
const DOCUMENTS_PER_SHARD = 20_000
/** Partitions of the lists of a kind in an organization: each is read by every list over all of it. */
const SHARDS_MAX = 64

type Counts = Omit<StoredUsage, 'org' | 'kind'>

interface Kept {
  readonly org: string
  readonly kind: string
  readonly stored: Counts
  /** Before the commit that is being applied. */
  before: Counts
  current: Counts
}

const NOTHING: Counts = { documents: 0, entries: 0, bytes: 0, shards: 1 }

/** What organizations have of kinds, counted along with the commits of a group. */
export class KindCounts {
  readonly #kept = new Map<string, Kept>()
  readonly #touched = new Set<Kept>()

  constructor(usage: readonly StoredUsage[]) {
    for (const { org, kind, ...stored } of usage) {
      const kept = { org, kind, stored, before: stored, current: stored }
      this.#kept.set(nameOf(org, kind), kept)
    }
  }

  /** Begins a commit. */
  begin(): void {
    for (const kept of this.#touched) kept.before = kept.current
    this.#touched.clear()
  }

  /** Takes back what the commit has changed. */
  takeBack(): void {
    for (const kept of this.#touched) kept.current = kept.before
    this.#touched.clear()
  }

  /** Counts a document that was one thing and becomes another. */
  change(
    { orgUid, kind }: DocumentKey,
    from: DocumentHead | undefined,
    to: DocumentHead | undefined,
  ): void {
    const kept = this.#of(orgUid, kind)
    this.#touched.add(kept)
    const { documents, entries, bytes, shards } = kept.current
    const count = documents + Number(to !== undefined) - Number(from !== undefined)
    const has = (document: DocumentHead | undefined) => Number((document?.index ?? null) !== null)
    kept.current = {
      ...{ documents: count, entries: entries + has(to) - has(from) },
      bytes: bytes + (to?.bytes ?? 0) - (from?.bytes ?? 0),
      shards: Math.max(shards, shardsFor(count)),
    }
  }

  /** How many partitions the lists of a kind have for one more document. */
  shardsOf(org: string, kind: string): number {
    const { documents, shards } = this.#of(org, kind).current
    return Math.max(shards, shardsFor(documents + 1))
  }

  /** By how much the commit has changed what a limit counts, and what it has come to. */
  sumOf({ orgUid, kinds, of }: CatalogLimit): { change: number; total: number } {
    let [change, total] = [0, 0]
    for (const kind of kinds) {
      const kept = this.#of(orgUid, kind)
      change += kept.current[of] - kept.before[of]
      total += kept.current[of]
    }
    return { change, total }
  }

  /** All that differs from what is stored. */
  changed(): StoredUsage[] {
    return [...this.#kept.values()]
      .filter(({ stored, current }) => stored !== current)
      .map(({ org, kind, current }) => ({ org, kind, ...current }))
  }

  #of(org: string, kind: string): Kept {
    const name = nameOf(org, kind)
    let kept = this.#kept.get(name)
    if (kept === undefined) {
      kept = { org, kind, stored: NOTHING, before: NOTHING, current: NOTHING }
      this.#kept.set(name, kept)
    }
    return kept
  }
}

function shardsFor(documents: number): number {
  return Math.min(SHARDS_MAX, Math.max(1, Math.ceil(documents / DOCUMENTS_PER_SHARD)))
}

function nameOf(org: string, kind: string): string {
  return JSON.stringify([org, kind])
}
