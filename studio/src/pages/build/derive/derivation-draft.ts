/** How a stream is derived, as an editor has it. */
import type { Schema } from '../../../api/paths.ts'
import type { StreamDraft } from '../stream-draft.ts'

/** A formula with what its names stand for. */
export type DerivationDraft = Schema<'Derivation'>
/** What a name of the formula stands for. */
export type VariableDraft = DerivationDraft['variables'][number]

/** Where a derived stream stands, which decides what it may be derived from. */
export interface DerivePlace {
  /** Its component, where that is saved. */
  readonly componentUid?: string
  readonly timeZoneId?: string
  /** The streams that are saved together with it, which are named by ID. */
  readonly beside?: readonly StreamDraft[]
  /** Whether it stands in a template, which reads its own streams only. */
  readonly isTemplate?: boolean
}

/** A stream that a variable may read. */
export interface SourceChoice {
  readonly uid: string
  readonly id: string
  readonly name: string
  readonly valueType: string
}

/** A formula of which nothing is said yet. */
export const blankDerivation: DerivationDraft = {
  expression: '',
  variables: [],
  trigger: 'ALL',
  followsCorrections: false,
}

/** A variable of which only the name is said. */
export function blankVariable(name: string): VariableDraft {
  return {
    name,
    componentId: '',
    componentUid: '',
    streamId: '',
    streamUid: '',
    offset: 0,
    cycleUid: '',
    cycleId: '',
    stat: '',
  }
}

const LETTERS: readonly string[] = [...'abcdefghijklmnopqrstuvwxyz']

/** The next name that no variable has. */
export function freeName(variables: readonly VariableDraft[]): string {
  const taken = new Set(variables.map(({ name }) => name.toLowerCase()))
  return LETTERS.find((letter) => !taken.has(letter)) ?? `v${variables.length + 1}`
}

/** Whether a formula can be tried: every variable names a stream. */
export function isComplete({ expression, variables }: DerivationDraft): boolean {
  const isNamed = ({ streamUid, streamId }: VariableDraft) => streamUid !== '' || streamId !== ''
  return expression.trim() !== '' && variables.length > 0 && variables.every(isNamed)
}
