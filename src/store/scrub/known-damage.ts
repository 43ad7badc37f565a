import type { Damage, StreamHandle } from '../ports/sample-port.ts'
import type { ScrubFinding } from '../ports/scrub-port.ts'

/** The parts that damage is reported for. */
export const DAMAGE_PARTS = ['samples', 'journal', 'catalog', 'files', 'payloads'] as const

/** The part of a finding that names a stream, where none is known. */
export const OF_NO_STREAM = { handle: undefined, from: undefined, until: undefined } as const

/** Findings that are kept and shown; more of them say nothing that these do not. */
const FINDINGS_MAX = 1_000

/** Most streams shown one by one. A damage of the journal may name a thousand. */
const STREAMS_PER_DAMAGE_MAX = 100

interface Kept {
  readonly finding: ScrubFinding
  /** When it was last found, as a count of findings. */
  readonly sequence: number
}

interface KnownDamageDeps {
  /** What the sample store has set aside, from earlier starts too. */
  readonly setAside: () => readonly Damage[]
  /** Whether a stream still exists: damage of a deleted one concerns nobody. */
  readonly isLiving: (handle: StreamHandle) => boolean
}

/** All known damage, whether a scrub, a reader, or the start found it. */
export class KnownDamage {
  readonly #byKey = new Map<string, Kept>()
  readonly #totals = new Map<ScrubFinding['part'], number>()
  #deps: KnownDamageDeps = { setAside: () => [], isLiving: () => true }
  #sequence = 0

  /** Gives it what it looks at besides; findings may come before the stores are open. */
  attach(deps: KnownDamageDeps): void {
    this.#deps = deps
  }

  /** Keeps a finding; true when it was not known before. */
  note(finding: ScrubFinding): boolean {
    this.#totals.set(finding.part, this.foundTotal(finding.part) + 1)
    return this.restore(finding)
  }

  /** Counts what the sample store has come upon and set aside, where `list` finds it. */
  countSetAside(damage: Pick<Damage, 'file'>): void {
    const part = samplePartOf(damage.file)
    this.#totals.set(part, this.foundTotal(part) + 1)
  }

  /** Keeps a finding of an earlier start, without counting it. */
  restore(finding: ScrubFinding): boolean {
    const key = keyOf(finding)
    const isKnown = this.#byKey.has(key)
    if (!isKnown && this.#byKey.size >= FINDINGS_MAX) return false
    this.#sequence += 1
    this.#byKey.set(key, { finding, sequence: this.#sequence })
    return !isKnown
  }

  /** Where a pass over everything begins; given to `settle` at its end. */
  begin(): number {
    return this.#sequence
  }

  /** Forgets what a pass over everything has not found again. */
  settle(begunAt: number): void {
    for (const [key, { sequence }] of this.#byKey) if (sequence <= begunAt) this.#byKey.delete(key)
  }

  /** All that is known at present, each once. */
  list(): ScrubFinding[] {
    const all = new Map<string, ScrubFinding>()
    const standing = this.#deps.setAside().flatMap(findingsOf)
    for (const finding of [...standing, ...[...this.#byKey.values()].map((kept) => kept.finding)]) {
      if (finding.handle !== undefined && !this.#deps.isLiving(finding.handle)) continue
      if (all.size < FINDINGS_MAX) all.set(keyOf(finding), finding)
    }
    return [...all.values()]
  }

  /** How often damage was come upon in a part since the start. */
  foundTotal(part: ScrubFinding['part']): number {
    return this.#totals.get(part) ?? 0
  }
}

/** The part that a file of the sample store belongs to; damage names tables too: `samples.db.chunk`. */
export function samplePartOf(file: string): 'samples' | 'journal' {
  return file.startsWith('samples.db') ? 'samples' : 'journal'
}

/** What the sample store set aside, as findings: one for each stream that it names. */
function findingsOf(damage: Damage): ScrubFinding[] {
  const { file, offset, bytes, handles, from, until } = damage
  const part = samplePartOf(file)
  const what = `${file}, ${bytes} bytes at ${offset}: ${damage.what}`
  const of = (handle: StreamHandle | undefined) => ({ part, what, handle, from, until }) as const
  return handles.length === 0 ? [of(undefined)] : handles.slice(0, STREAMS_PER_DAMAGE_MAX).map(of)
}

/** Two findings of one stream and stretch are one, in whatever words; others differ by their words. */
function keyOf({ part, what, handle, from, until }: ScrubFinding): string {
  return handle === undefined ? `${part} ${what}` : `${part} ${handle} ${from} ${until}`
}
