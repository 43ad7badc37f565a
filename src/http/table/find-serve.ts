import { Refusal } from '../../base/index.ts'
import type { FastLane } from '../transport/exchange.ts'
import { type ServingParts, serveOperation } from './serve-operation.ts'
import type { OperationTable } from './table.ts'

/** Finds who serves a method and target: undefined: no operation does. Refuses a path that cannot be decoded. */
export function operationsLane(table: OperationTable, parts: ServingParts): FastLane {
  return (method, url) => {
    const match = table.find(method, url)
    return match === undefined ? undefined : (exchange) => serveOperation(parts, exchange, match)
  }
}

/** As operationsLane(), of hot operations alone, for the front; what is unusual is left to Node's parser. */
export function hotLane(table: OperationTable, parts: ServingParts): FastLane {
  return (method, url) => {
    try {
      const match = table.find(method, url)
      if (match?.operation.isHot !== true) return undefined
      return (exchange) => serveOperation(parts, exchange, match)
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
}
