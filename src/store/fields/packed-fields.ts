/** Fields of components and streams as the columns of a database hold them, the same in every store. */
import type { StreamDefinition } from '../ports/component-port.ts'

const VALUE_CODES = 64
const KINDS = 16

/** Kind, type of values, and flags in one number. */
export function typeOf(definition: Omit<StreamDefinition, 'more' | 'grid'>): number {
  const { streamKind, valueCode, isDerived, hasDeleteProfile } = definition
  const flags = (isDerived ? 1 : 0) + (hasDeleteProfile ? 2 : 0)
  return valueCode + VALUE_CODES * (streamKind + KINDS * flags)
}

/** The definition that typeOf() has put together. */
export function definitionOfType(type: number, grid: string): Omit<StreamDefinition, 'more'> {
  const high = Math.floor(type / VALUE_CODES)
  const flags = Math.floor(high / KINDS)
  return {
    streamKind: high % KINDS,
    valueCode: type % VALUE_CODES,
    isDerived: (flags & 1) !== 0,
    hasDeleteProfile: (flags & 2) !== 0,
    grid,
  }
}

/** An object as JSON; null for an empty one, or none. */
export function jsonOrNull(object: object | undefined): string | null {
  for (const _ in object) return JSON.stringify(object)
  return null
}
