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
}

const NO_IDS = {}

/** All operations, found by method and path. */
export class OperationTable {
  readonly operations: HttpOperation[] = []
  readonly #rows: Row[] = []
  /** The rows of paths without an open end, by how many parts they have; the exact ones first. */
  readonly #byLength = new Map<number, Row[]>()
  readonly #open: Row[] = []
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
    const row = { operation, pattern, parts, isOpen }
    this.#rows.push(row)
    // Preflights are answered on every path, known or not.
    if (!operation.isPage && !operation.methods.includes('OPTIONS'))
      this.#programParts.add(parts[1])
    if (isOpen) {
      insertSorted(this.#open, row)
      return
    }
    const isFixed = !parts.some((part) => part.startsWith(':'))
    if (isFixed) this.#fixed.set(pattern, [...(this.#fixed.get(pattern) ?? []), row])
    const others = this.#byLength.get(parts.length) ?? []
    insertSorted(others, row)
    this.#byLength.set(parts.length, others)
  }

  /** What a method and a target mean; undefined when nothing serves them. Refuses a path that cannot be decoded. */
  find(method: string, url: string): Match | undefined {
    const end = endOfPath(url)
    const path = end < 0 ? url : url.slice(0, end)
    const fixed = this.#fixed.get(path)?.find((row) => serves(row, method))
    if (fixed !== undefined) return matchOf(fixed, NO_IDS, url)
    const sent = path.split('/')
    const given = path.includes('%') ? this.#decode(method, sent) : sent
    const rows = this.#byLength.get(given.length) ?? []
    const row =
      rows.find((one) => serves(one, method) && isAt(one.parts, given)) ??
      this.#open.find((one) => serves(one, method) && isBelow(one.parts, given))
    return row === undefined ? undefined : matchOf(row, idsOf(row.parts, given), url)
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
    const rows = this.#byLength.get(sent.length) ?? []
    const row = rows.find((one) => serves(one, method) && isAt(one.parts, sent))
    const { undecodable } = row?.operation ?? {}
    if (row === undefined || undecodable === undefined) {
      return 'The path contains an invalid percent encoding'
    }
    return undecodable(row.parts[at].slice(1))
  }
}

/** Keeps rows in an order in which the first that fits is the most exact one. */
function insertSorted(rows: Row[], row: Row): void {
  rows.push(row)
  rows.sort((one, other) => (rankOf(one.parts) < rankOf(other.parts) ? -1 : 1))
}

/** Texts that sort exact parts before IDs, and these before an open end. */
function rankOf(parts: readonly string[]): string {
  return parts.map((part) => (part === '*' ? '2' : part.startsWith(':') ? '1' : '0')).join('')
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

function idsOf(parts: readonly string[], given: readonly string[]): Record<string, string> {
  const ids: Record<string, string> = {}
  parts.forEach((part, at) => {
    if (part.startsWith(':')) ids[part.slice(1)] = given[at]
    else if (part === '*') ids['*'] = given.slice(at).join('/')
  })
  return ids
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
