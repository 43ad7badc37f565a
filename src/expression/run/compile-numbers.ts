/**
 * Terms of numbers and conditions over columns, a block of rows at a time: every operation is one loop
 * over doubles, without boxes and without a call for a row. Both sides of a choice are evaluated; what
 * a block cannot decide it leaves to the evaluation value by value.
 */
import type { ExpressionType } from '../expression-types.ts'
import type { NumberLoop, Term } from '../operation/operation.ts'
import { formLoops } from './form-loops.ts'

/** Rows of a block: its columns stay in the processor's nearest cache. */
export const BLOCK_ROWS = 512

/** Columns that one expression may hold at once; longer ones are evaluated value by value. */
const SLOTS_MAX = 256

/** Columns between operations, which all expressions share: none is held beyond a block. */
const slots: Float64Array[] = []

const NUMERIC: ReadonlySet<ExpressionType> = new Set(['LONG', 'DOUBLE', 'BOOLEAN', 'NULL'])

/** Rows that are evaluated together. */
interface Block {
  readonly columns: readonly Float64Array[]
  readonly from: number
  readonly count: number
  /** Rows that must be evaluated value by value are 1. */
  readonly uncertain: Uint8Array
}

/** Gives the column of a term for a block; it is good until the next call. */
export type BlockClosure = (block: Block) => Float64Array

/** Makes the closure of a term, or nothing where it is not made of numbers and conditions of known types. */
export function compileNumbers(term: Term): BlockClosure | undefined {
  return isNumeric(term) && slotsOf(term) <= SLOTS_MAX ? compileInto(term, 0) : undefined
}

function isNumeric(term: Term): boolean {
  if (!NUMERIC.has(term.type)) return false
  if (term.kind === 'constant') return typeof term.value !== 'bigint'
  if (term.kind === 'input') return true
  if (term.kind === 'apply' && term.operation.number === undefined) return false
  return term.args.every(isNumeric)
}

/** An argument is held in the slot of its number, counted from that of its term. */
function slotsOf(term: Term): number {
  if (term.kind === 'constant' || term.kind === 'input') return 1
  return Math.max(1, ...term.args.map((arg, index) => index + slotsOf(arg)))
}

function compileInto(term: Term, slot: number): BlockClosure {
  slots[slot] ??= new Float64Array(BLOCK_ROWS)
  const out = slots[slot]
  if (term.kind === 'constant') {
    const value = term.value === null ? Number.NaN : Number(term.value)
    return () => out.fill(value)
  }
  if (term.kind === 'input') {
    const { index } = term
    return ({ columns, from, count }) => columns[index].subarray(from, from + count)
  }
  const closures = term.args.map((arg, index) => compileInto(arg, slot + index))
  const loop = loopOf(term)
  const args: Float64Array[] = []
  return (block) => {
    for (let index = 0; index < closures.length; index++) args[index] = closures[index](block)
    loop(out, args, block.uncertain, block.count)
    return out
  }
}

function loopOf(term: Exclude<Term, { kind: 'constant' | 'input' }>): NumberLoop {
  if (term.kind !== 'apply') return formLoops[term.kind]
  return term.operation.number ?? (() => {})
}
