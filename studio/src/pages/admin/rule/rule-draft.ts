import type { Schema } from '../../../api/paths.ts'

/** An address rule as it is typed. */
export type RuleDraft = Omit<Schema<'AddressRule'>, 'uses'> & {
  /** Labels, separated by commas. */
  readonly uses: string
}

/** The fields of a rule; without one they are blank. */
export function draftOf(rule: Schema<'AddressRule'> | undefined): RuleDraft {
  const { component = '', stream = '', uses = [], template = '', folder = '' } = rule ?? {}
  const { deleteProfile = '' } = rule ?? {}
  return { component, stream, uses: uses.join(', '), template, folder, deleteProfile }
}

/** The rule that is typed; null where nothing is. */
export function ruleOf({ uses, ...texts }: RuleDraft): Schema<'AddressRule'> | null {
  const labels = uses.split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
  const isBlank = labels.length === 0 && Object.values(texts).every((text) => text === '')
  return isBlank ? null : { ...texts, uses: labels }
}
