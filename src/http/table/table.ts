import { refuse } from '../../base/index.ts'
import type { CallHead } from './call.ts'
import type { HttpOperation } from './http-operation.ts'

/** An operation that a method and a target mean. */
export interface Match extends CallHead {
  readonly operation: HttpOperation
  /** The pattern of the path, for metrics. */
  readonly pattern: string
}

/** One path of an operation. */
interface Row {
  readonly operation: HttpOperation
  readonly pattern: string
  readonly parts: readonly string[]
  readonly isOpen: boolean
  /** The names of the IDs, and at which part each is. */
  readonly ids: ReadonlyArray<readonly [name: string, at: number]>
}

/** What paths have in common up to a part. */
class PathNode {
  readonly exact = new Map<string, PathNode>()
  id: PathNode | undefined
  /** The rows of paths that end here. */
  readonly ends: Row[] = []
  /** The rows of paths that have an open end from here on. */
  readonly open: Row[] = []

  add(row: Row, at = 0): void {
    const part = row.parts[at]
    if (part === undefined) this.ends.push(row)
    else if (part === '*') this.open.push(row)
    else this.#child(part).add(row, at + 1)
  }

  #child(part: string): PathNode {
    if (part.startsWith(':')) {
      this.id ??= new PathNode()
      return this.id
    }
    return this.exact.getOrInsertComputed(part, () => new PathNode())
  }

  /** The most exact row of a path: exact parts come before IDs, from the first part on. */
  find(method: string, given: readonly string[], at = 0): Row | undefined {
    if (at === given.length) return this.ends.find((row) => serves(row, method))
    return (
      this.exact.get(given[at])?.find(method, given, at + 1) ?? this.id?.find(method, given, at + 1)
    )
  }

  /** As find(), of the rows with an open end. */
  findOpen(method: string, given: readonly string[], at = 0): Row | undefined {
    if (at === given.length) return undefined
    return (
      this.exact.get(given[at])?.findOpen(method, given, at + 1) ??
      this.id?.findOpen(method, given, at + 1) ??
      this.open.find((row) => serves(row, method))
    )
  }
}

const NO_IDS = {}

/** All operations, found by method and path. */
export class OperationTable {
  readonly operations: HttpOperation[] = []
  readonly #rows: Row[] = []
  readonly #root = new PathNode()
  readonly #fixed = new Map<string, Row[]>()
  /** With what paths begin that programs ask for. */
  readonly #programParts = new Set<string>()

  /** Adds operations; of two that serve a path the more exact one is found. */
  add(...operations: readonly HttpOperation[]): void {
    for (const operation of operations) {
      this.operations.push(operation)
      for (const pattern of [operation.path, ...operation.aliases]) this.#addRow(operation, pattern)
    }
  }

  #addRow(operation: HttpOperation, pattern: string): void {
    const parts = pattern.split('/')
    const isOpen = parts.at(-1) === '*'
    const ids = [...parts.entries()]
      .filter(([, part]) => part.startsWith(':'))
      .map(([at, part]): readonly [string, number] => [part.slice(1), at])
    const row = { operation, pattern, parts, isOpen, ids }
    this.#rows.push(row)
    // Preflights are answered on every path, known or not.
    if (!operation.isPage && !operation.methods.includes('OPTIONS'))
      this.#programParts.add(parts[1])
    this.#root.add(row)
    const isFixed = !isOpen && !parts.some((part) => part.startsWith(':'))
    if (isFixed) this.#fixed.set(pattern, [...(this.#fixed.get(pattern) ?? []), row])
  }

  /** What a method and a target mean; undefined when nothing serves them. Refuses a path that cannot be decoded. */
  find(method: string, url: string): Match | undefined {
    const end = endOfPath(url)
    const path = end < 0 ? url : url.slice(0, end)
    const fixed = this.#fixed.get(path)?.find((row) => serves(row, method))
    if (fixed !== undefined) return matchOf(fixed, NO_IDS, url)
    const sent = path.split('/')
    const given = path.includes('%') ? this.#decode(method, sent) : sent
    const row = this.#root.find(method, given) ?? this.#root.findOpen(method, given)
    return row === undefined ? undefined : matchOf(row, idsOf(row, given), url)
  }

  /** The methods by which a path is served. */
  methodsOf(path: string): string[] {
    const given = path.split('/')
    const serving = this.#rows.filter(({ parts, isOpen, operation }) => {
      if (operation.methods.includes('OPTIONS')) return false
      return isOpen ? isBelow(parts, given) : isAt(parts, given)
    })
    return [...new Set(serving.flatMap(({ operation }) => operation.methods))]
  }

  /** Whether a path begins as that of an operation does which is no page. */
  isServed(path: string): boolean {
    return this.#programParts.has(path.split('/')[1])
  }

  #decode(method: string, sent: readonly string[]): string[] {
    return sent.map((part, at) => {
      try {
        return part.includes('%') ? decodeURIComponent(part) : part
      } catch {
        return refuse('bad_input', { what: this.#undecodable(method, sent, at) })
      }
    })
  }

  /** Where the path is that of an operation by its other parts, the message names the ID. */
  #undecodable(method: string, sent: readonly string[], at: number): string {
    const row = this.#root.find(method, sent)
    const { undecodable } = row?.operation ?? {}
    if (row === undefined || undecodable === undefined) {
      return 'The path contains an invalid percent encoding'
    }
    return undecodable(row.parts[at].slice(1))
  }
}

function serves({ operation }: Row, method: string): boolean {
  return operation.methods.includes(method)
}

function isAt(parts: readonly string[], given: readonly string[]): boolean {
  if (parts.length !== given.length) return false
  return parts.every((part, at) => part.startsWith(':') || part === given[at])
}

function isBelow(parts: readonly string[], given: readonly string[]): boolean {
  if (given.length < parts.length) return false
  return parts.every((part, at) => part === '*' || part.startsWith(':') || part === given[at])
}

function idsOf({ ids, parts, isOpen }: Row, given: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, at] of ids) found[name] = given[at]
  if (isOpen) found['*'] = given.slice(parts.length - 1).join('/')
  return found
}

/** Where the path of a target ends: some clients send a fragment. */
function endOfPath(url: string): number {
  const mark = url.indexOf('?')
  const hash = url.indexOf('#')
  return hash >= 0 && (mark < 0 || hash < mark) ? hash : mark
}

function matchOf({ operation, pattern }: Row, ids: Match['ids'], url: string): Match {
  const mark = url.indexOf('?')
  return { operation, pattern, ids, query: mark < 0 ? '' : url.slice(mark + 1), kept: {} }
}
