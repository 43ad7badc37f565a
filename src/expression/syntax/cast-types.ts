import type { CastType } from './expression-tree.ts'

/** The names of types that CAST takes: those of the language, and those of streams. */
const CAST_TYPES: ReadonlyMap<string, CastType> = new Map([
  ['LONG', 'LONG'],
  ['INTEGER', 'LONG'],
  ['INT', 'LONG'],
  ['SHORT', 'LONG'],
  ['DATETIME', 'LONG'],
  ['DOUBLE', 'DOUBLE'],
  ['FLOAT', 'DOUBLE'],
  ['BIGDECIMAL', 'BIGDECIMAL'],
  ['BIG_DECIMAL', 'BIGDECIMAL'],
  ['STRING', 'STRING'],
  ['TEXT', 'STRING'],
  ['BOOLEAN', 'BOOLEAN'],
])

/** The type that a name in any capitals stands for, or undefined. */
export function castTypeOf(name: string): CastType | undefined {
  return CAST_TYPES.get(name.toUpperCase())
}
