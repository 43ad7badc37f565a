import { nextIteration } from '../../base/index.ts'
import { LISTED_NAME_LENGTH, type StoredComponent } from '../../store/index.ts'
import type { CatalogListener, CatalogNews } from '../documents/catalog-news.ts'
import type { Documents } from '../documents/documents.ts'
import { catalogFolder } from '../shape/folder-path.ts'
import { foldName } from './fold-name.ts'

/** Characters of names that are held in all; of an organization that has more the first are searched. */
const CHARACTERS_MAX = 100_000_000
/** Memory of a component besides folder, name, and ID, counted as characters. */
const CHARACTERS_EACH = 150
/** Characters of names that are read after a start, before anyone searches: those of some 200,000 components. */
const PREPARED_CHARACTERS_MAX = 25_000_000
/** Components that are read before others have their turn: a few milliseconds. */
const STEP = 100
/** Above this number of changes, reading all names again is cheaper. */
const CHANGES_MAX = 2_000
/** Names looked at before others have their turn: about a millisecond. */
const SLICE = 5_000
/** Who has not searched for so long holds no names. */
const IDLE_MS = 600_000

/** A component as lists sort and search it. */
export interface NamedComponent {
  readonly uid: string
  /** Its place in lists: its folder and what of its name is compared. */
  readonly place: string
  /** Folder, name and ID, folded. */
  readonly text: string
  /** Its number in the index. */
  readonly ref: number
  /** Its name, folded. */
  readonly name: string
  /** The ID of its template, '' if it has none. */
  readonly template: string
}

interface Names {
  /** In the order of lists; settles once all are read. */
  sorted: Promise<NamedComponent[]>
  /** What they take, and of which of them that is said. */
  characters: number
  measured?: readonly NamedComponent[]
  usedAtMs: number
  /** Components that were changed since they were read. */
  readonly changed: Set<string>
}

/** Where is searched: in a folder, as stores name it, and below, or in itself alone; undefined: everywhere. */
export interface SearchedFolder {
  readonly folder?: string
  readonly isDirect?: boolean
}

/** What is searched for. */
interface NameSearch extends SearchedFolder {
  /** Each must be somewhere in folder, name or ID. */
  readonly words: readonly string[]
  /** Components that the caller may not see. */
  readonly hidden: ReadonlySet<string>
}

/**
 * Folder, name and ID of the components of organizations in which people search. Read after a start, or at the first
 * search, and kept current by what commits change; a search over a hundred thousand looks at each and takes some milliseconds.
 */
export class ComponentNames implements CatalogListener {
  readonly #documents: Documents
  readonly #now: () => number
  /** The organization in which was searched last is the last. */
  readonly #byOrg = new Map<string, Names>()
  #isClosed = false
  #preparing: Promise<void> = Promise.resolve()

  constructor(documents: Documents, now: () => number) {
    this.#documents = documents
    this.#now = now
    documents.onNews(this)
  }

  /** Reads names in the background, so that the first search need not; a search meanwhile waits for them. */
  prepare(orgUids: readonly string[], onFailure: (error: unknown) => void): void {
    this.#preparing = this.#prepare(orgUids).catch((error: unknown) => {
      if (!this.#isClosed) onFailure(error)
    })
  }

  async #prepare(orgUids: readonly string[]): Promise<void> {
    let characters = 0
    for (const orgUid of orgUids) {
      if (this.#isClosed || characters >= PREPARED_CHARACTERS_MAX) return
      await this.#current(orgUid)
      characters += this.#byOrg.get(orgUid)?.characters ?? 0
    }
  }

  /** Ends what reads names in the background. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#preparing
  }

  isListening(): boolean {
    return this.#byOrg.size > 0
  }

  note({ orgUid, componentUids }: CatalogNews): void {
    for (const [org, { usedAtMs }] of this.#byOrg)
      if (this.#now() - usedAtMs > IDLE_MS) this.#byOrg.delete(org)
    const names = this.#byOrg.get(orgUid)
    if (names === undefined) return
    for (const uid of componentUids) names.changed.add(uid)
    if (names.changed.size > CHANGES_MAX) this.#byOrg.delete(orgUid)
  }

  /** The UIDs of all components that a search finds, in the order of lists. */
  async search(orgUid: string, search: NameSearch): Promise<string[]> {
    const { words, folder = '', isDirect = false, hidden } = search
    const placeStart = isDirect ? placeOf(folder, '') : `${folder}/`
    const names = await this.#current(orgUid)
    const found: string[] = []
    for (const [at, { uid, place, text }] of names.entries()) {
      if (at % SLICE === SLICE - 1) await nextIteration()
      if (!words.every((word) => text.includes(word))) continue
      if (place.startsWith(placeStart) && !hidden.has(uid)) found.push(uid)
    }
    return found
  }

  /** All components of an organization in the order of lists. The list never changes. */
  async listed(orgUid: string): Promise<readonly NamedComponent[]> {
    return await this.#current(orgUid)
  }

  async #current(orgUid: string): Promise<readonly NamedComponent[]> {
    const names = this.#byOrg.get(orgUid) ?? this.#begin(orgUid)
    this.#byOrg.delete(orgUid)
    this.#byOrg.set(orgUid, names)
    names.usedAtMs = this.#now()
    try {
      // One after the other: each builds on what the one before has read.
      names.sorted = names.sorted.then((sorted) => this.#follow(orgUid, names, sorted))
      const sorted = await names.sorted
      this.#trim(names, sorted)
      return sorted
    } catch (error) {
      if (this.#byOrg.get(orgUid) === names) this.#byOrg.delete(orgUid)
      throw error
    }
  }

  #begin(orgUid: string): Names {
    const sorted = this.#readAll(orgUid)
    return { sorted, characters: 0, usedAtMs: this.#now(), changed: new Set() }
  }

  /** What is made, moved or deleted meanwhile is among what has changed, and read again. */
  async #readAll(orgUid: string): Promise<NamedComponent[]> {
    const runs: NamedComponent[][] = [[]]
    let characters = 0
    let after: string | undefined
    do {
      await nextIteration()
      if (this.#isClosed) throw new Error('the catalog was closed while names were read')
      const query = { orgUid, after, limit: STEP }
      const { components, next } = await this.#documents.walkComponents(query)
      for (const component of components) {
        const name = this.#nameOf(component)
        characters += charactersOf(name)
        const last = runs.at(-1)?.at(-1)
        if (last !== undefined && compareNames(last, name) > 0) runs.push([])
        runs.at(-1)?.push(name)
      }
      after = next
    } while (after !== undefined && characters < CHARACTERS_MAX)
    return await mergeRuns(runs)
  }

  /** The names with what was changed since; the list is rebuilt, as others may still walk over the one before. */
  async #follow(
    orgUid: string,
    { changed }: Names,
    sorted: NamedComponent[],
  ): Promise<NamedComponent[]> {
    if (changed.size === 0) return sorted
    const uids = new Set(changed)
    changed.clear()
    const fresh: NamedComponent[] = []
    for (const uid of uids) {
      const component = await this.#documents.getComponent(orgUid, uid)
      if (component !== undefined) fresh.push(this.#nameOf(component))
    }
    const kept = sorted.filter(({ uid }) => !uids.has(uid))
    return cut(mergeSorted(kept, fresh.sort(compareNames)))
  }

  #nameOf({ orgUid, uid, folder, name, id, more }: StoredComponent): NamedComponent {
    const text = foldName(`${catalogFolder(folder)}/${name}\n${id}`)
    const place = placeOf(folder, listedName(name))
    const template = typeof more.template === 'string' ? more.template : ''
    const ref = this.#documents.index.componentRef(orgUid, uid)
    return { uid, place, text, ref, name: foldName(name), template }
  }

  /** Lets go of organizations in which nobody has searched for longest, while all together are too many. */
  #trim(used: Names, sorted: readonly NamedComponent[]): void {
    if (used.measured === sorted) return
    used.measured = sorted
    used.characters = sorted.reduce((sum, name) => sum + charactersOf(name), 0)
    let total = 0
    for (const { characters } of this.#byOrg.values()) total += characters
    for (const [orgUid, { characters }] of this.#byOrg) {
      if (total <= CHARACTERS_MAX || this.#byOrg.size === 1) return
      this.#byOrg.delete(orgUid)
      total -= characters
    }
  }
}

function charactersOf({ text }: NamedComponent): number {
  return text.length + CHARACTERS_EACH
}

/** As many of the first as may be held. */
function cut(names: NamedComponent[]): NamedComponent[] {
  let characters = 0
  const until = names.findIndex((name) => {
    characters += charactersOf(name)
    return characters > CHARACTERS_MAX
  })
  return until < 0 ? names : names.slice(0, until)
}

/** What lies in a folder comes before the folders in it. */
function placeOf(folder: string, name: string): string {
  return `${folder}/\0${name}`
}

/** What of a name decides its place. */
function listedName(name: string): string {
  if (name.length <= LISTED_NAME_LENGTH) return name
  return [...name.slice(0, 2 * LISTED_NAME_LENGTH)].slice(0, LISTED_NAME_LENGTH).join('')
}

/** Sorted runs as one, with turns for others in between; a walk comes in two at most. */
async function mergeRuns(runs: readonly NamedComponent[][]): Promise<NamedComponent[]> {
  let all = runs[0]
  for (const run of runs.slice(1)) {
    const merged: NamedComponent[] = []
    let [a, b] = [0, 0]
    while (a < all.length || b < run.length) {
      if (merged.length % SLICE === SLICE - 1) await nextIteration()
      const isFirst = a < all.length && (b === run.length || compareNames(all[a], run[b]) < 0)
      merged.push(isFirst ? all[a++] : run[b++])
    }
    all = merged
  }
  return all
}

/** As bytes, which is how lists are ordered. */
function compareNames(a: NamedComponent, b: NamedComponent): number {
  if (a.place === b.place) return a.uid < b.uid ? -1 : 1
  // Up to the surrogates, texts compare as their bytes do.
  if (HIGH.test(a.place) || HIGH.test(b.place))
    return Buffer.compare(Buffer.from(a.place), Buffer.from(b.place))
  return a.place < b.place ? -1 : 1
}

const HIGH = /[\ud800-\uffff]/

function mergeSorted(a: readonly NamedComponent[], b: readonly NamedComponent[]): NamedComponent[] {
  const merged: NamedComponent[] = []
  let from = 0
  for (const one of b) {
    const at = countBefore(a, one)
    for (; from < at; from += 1) merged.push(a[from])
    merged.push(one)
  }
  for (; from < a.length; from += 1) merged.push(a[from])
  return merged
}

function countBefore(sorted: readonly NamedComponent[], one: NamedComponent): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareNames(sorted[middle], one) < 0) low = middle + 1
    else high = middle
  }
  return low
}
