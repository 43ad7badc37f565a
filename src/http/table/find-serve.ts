import { Refusal } from '../../base/index.ts'
import type { FastLookup, Serve } from '../transport/exchange.ts'
import { type ServingParts, serveOperation } from './serve-operation.ts'
import { type NoPage, serveUnknown } from './serve-unknown.ts'
import type { OperationTable } from './table.ts'

/** What every call is served with. */
interface TableParts extends ServingParts {
  readonly table: OperationTable
  readonly noPage: NoPage
}

/** Finds how any call is served. Refuses a path that cannot be decoded. */
export function operationsLookup(parts: TableParts): (method: string, url: string) => Serve {
  return (method, url) => {
    const match = parts.table.find(method, url)
    if (match === undefined) return (exchange) => void serveUnknown(parts, exchange)
    const { meantTarget } = match.operation
    if (meantTarget === undefined) return (exchange) => serveOperation(parts, exchange, match)
    return (exchange) => {
      const target = meantTarget(exchange.req)
      const meant = target === undefined ? undefined : parts.table.find(method, target)
      serveOperation(parts, exchange, meant ?? match)
    }
  }
}

/** Finds how a hot operation is served, for the front; what is unusual is left to Node's parser. */
export function hotLookup(parts: TableParts): FastLookup {
  return (method, url) => {
    try {
      const match = parts.table.find(method, url)
      if (match?.operation.isHot !== true) return undefined
      return (exchange) => serveOperation(parts, exchange, match)
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
}
