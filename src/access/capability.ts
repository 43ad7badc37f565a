/**
 * What a credential may do: entries of a resource path and methods, compiled once and asked often.
 *
 * A resource path has `/` between its segments; a segment `*` stands for any one, and an entry covers
 * everything below its path. `component/<c>/feed` means the feed of every stream of the component,
 * as if any stream were named. Of all entries that match, the most specific alone decides: the first
 * segment that differs reports, a name before `*`, `*` before nothing.
 */
import { BoundedCache } from '../base/plain.ts'

/** The methods a capability can give. */
export const methods = ['GET', 'PUT', 'POST', 'DELETE'] as const
export type Method = (typeof methods)[number]

/** One line of a key's capabilities. */
export interface CapabilityEntry {
  readonly resource: string
  readonly methods: readonly Method[]
}

/** The first segments a resource may have; anything else is a typing mistake. */
const resourceRoots = [
  'alert',
  'api_key',
  'audit',
  'channel',
  'component',
  'component_folder',
  'component_template',
  'conn_sink',
  'connection',
  'connector',
  'cycle',
  'dashboard',
  'delete_profile',
  'door',
  'job',
  'oauth_client',
  'org_user',
  'organization',
  'query',
  'storage',
  'unit',
] as const

/** The path that the feed of every stream lies at. */
const FEED = ['component', '*', 'stream', '*', 'feed']

/** Whether all feeds of a component are open to a method, none is, or it depends on the stream. */
export type FeedCoverage = 'all' | 'none' | 'by_stream'

interface Rule {
  readonly path: readonly string[]
  readonly mask: number
}

const METHOD_BITS: Readonly<Record<Method, number>> = { GET: 1, PUT: 2, POST: 4, DELETE: 8 }

/** Answers are remembered per resource; a key that touches more resources than this starts again. */
const REMEMBERED_MAX = 4_096
/** Two UIDs fit; what is longer comes from someone who makes paths up and is not worth memory. */
const REMEMBERED_LENGTH_MAX = 128
const RESOURCE_LENGTH_MAX = 1_024

/** A compiled list of capability entries. */
export class Capabilities {
  readonly #rules: readonly Rule[]
  readonly #remembered = new BoundedCache<string, number>(REMEMBERED_MAX)
  /** Which methods every feed has when no entry names a component, so that a put need not look. */
  readonly #commonFeedMask: number | undefined

  constructor(entries: readonly CapabilityEntry[]) {
    const rules = entries.map(({ resource, methods: given }) => ({
      path: pathOf(resource),
      mask: given.reduce((mask, method) => mask | METHOD_BITS[method], 0),
    }))
    this.#rules = rules.sort((a, b) => compareSpecific(a.path, b.path))
    const namesFeed = ({ path }: Rule) => isName(path[1]) || isName(path[3])
    if (!this.#rules.some((rule) => rule.path[0] === 'component' && namesFeed(rule)))
      this.#commonFeedMask = this.#maskOf('component/*/feed')
  }

  /** Whether a method on a resource is given. */
  gives(resource: string, method: Method): boolean {
    return (this.#maskOf(resource) & METHOD_BITS[method]) !== 0
  }

  /** Whether the feeds of every component are open to a method, decided without looking at one. */
  givesEveryFeed(method: Method): boolean {
    return ((this.#commonFeedMask ?? 0) & METHOD_BITS[method]) !== 0
  }

  /** Whether some feed may be open to a method; false means that none is. */
  mayGiveFeed(method: Method): boolean {
    const bit = METHOD_BITS[method]
    if (this.#commonFeedMask !== undefined) return (this.#commonFeedMask & bit) !== 0
    return this.#rules.some(
      ({ path, mask }) => (mask & bit) !== 0 && meet(path, FEED) !== undefined,
    )
  }

  /** As `gives` for the feeds of a component, and whether streams differ. */
  feedCoverage(componentUid: string, method: Method): FeedCoverage {
    const bit = METHOD_BITS[method]
    if (this.#commonFeedMask !== undefined)
      return (this.#commonFeedMask & bit) !== 0 ? 'all' : 'none'
    if (this.#namesStreamOf(componentUid)) return 'by_stream'
    return this.gives(`component/${componentUid}/feed`, method) ? 'all' : 'none'
  }

  /**
   * What the others give beyond these: one resource and method, or undefined when there is none.
   * Which entries decide is the same wherever one of each side meet, so it is asked there only.
   */
  findBeyond(others: Capabilities): { resource: string; method: Method } | undefined {
    for (const rule of others.#rules) {
      const narrower = this.#rules
        .filter(({ mask }) => (rule.mask & ~mask) !== 0)
        .map(({ path }) => meet(rule.path, path))
        .filter((path) => path !== undefined)
      for (const path of [rule.path, ...narrower]) {
        const beyond = others.#decide(path) & ~this.#decide(path)
        const method = methods.find((one) => (beyond & METHOD_BITS[one]) !== 0)
        if (method !== undefined) return { resource: resourceOf(path), method }
      }
    }
    return undefined
  }

  /** The names that entries give right below a root: `unit/<uid>` names the uid below `unit`. */
  namesBelow(root: string): string[] {
    return this.#rules.flatMap(({ path }) =>
      path[0] === root && path.length === 2 && path[1] !== '*' ? [path[1]] : [],
    )
  }

  #namesStreamOf(componentUid: string): boolean {
    return this.#rules.some(
      ({ path }) =>
        path[0] === 'component' &&
        isName(path[3]) &&
        (path[1] === componentUid || !isName(path[1])),
    )
  }

  #maskOf(resource: string): number {
    const known = this.#remembered.get(resource)
    if (known !== undefined) return known
    const mask = this.#decide(pathOf(resource))
    if (resource.length > REMEMBERED_LENGTH_MAX) return mask
    this.#remembered.set(resource, mask)
    return mask
  }

  #decide(asked: readonly string[]): number {
    const best = this.#rules.find(({ path }) => covers(path, asked))
    // Two entries of one path add up; they lie side by side in the order of the rules.
    return this.#rules
      .filter(({ path }) => best !== undefined && compareSpecific(path, best.path) === 0)
      .filter(({ path }) => covers(path, asked))
      .reduce((sum, rule) => sum | rule.mask, 0)
  }
}

/** What is wrong with a resource path of an entry, or undefined when it can be used. */
export function findResourceMistake(resource: string): string | undefined {
  if (resource === '*') return undefined
  if (resource.length > RESOURCE_LENGTH_MAX)
    return `must have at most ${RESOURCE_LENGTH_MAX} characters`
  const segments = resource.split('/')
  if (!(resourceRoots as readonly string[]).includes(segments[0])) {
    return `must be "*" or begin with one of ${resourceRoots.join(', ')}`
  }
  if (segments.some((segment) => segment === '')) return 'must not hold an empty segment'
  if (segments.some((segment) => segment !== '*' && segment.includes('*'))) {
    return 'may have "*" only as a whole segment, as in component/*/feed'
  }
  return undefined
}

function isName(segment: string | undefined): boolean {
  return segment !== undefined && segment !== '*'
}

function pathOf(resource: string): readonly string[] {
  const path = resource.split('/')
  if (path[0] === 'component' && path[2] === 'feed') path.splice(2, 0, 'stream', '*')
  // An entry covers what lies below it, so a star at its end says nothing.
  while (path.at(-1) === '*') path.pop()
  return path
}

/** A path as people write it in an entry. */
function resourceOf(path: readonly string[]): string {
  return path.length === 0 ? '*' : path.join('/').replace('/stream/*/feed', '/feed')
}

/** The widest path that both cover, or undefined when nothing is below both. */
function meet(a: readonly string[], b: readonly string[]): readonly string[] | undefined {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a]
  const fits = (segment: string, at: number) => !isName(long[at]) || segment === long[at]
  if (!short.every((segment, at) => !isName(segment) || fits(segment, at))) return undefined
  return long.map((segment, at) => (isName(segment) ? segment : (short[at] ?? segment)))
}

/** A `*` that is asked for means "any of them", which only a `*` can give. */
function covers(path: readonly string[], asked: readonly string[]): boolean {
  return path.every((segment, at) => (segment === '*' ? at < asked.length : segment === asked[at]))
}

/** Orders paths so that of those covering one resource the most specific comes first. */
function compareSpecific(a: readonly string[], b: readonly string[]): number {
  const rank = (segment: string | undefined) =>
    segment === undefined ? 2 : segment === '*' ? 1 : 0
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = rank(a[at]) - rank(b[at])
    if (difference !== 0) return difference
  }
  return 0
}
