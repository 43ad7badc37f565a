/** The words of GS SQL, for editors that complete and colour them. */
import { EXPRESSION_KEYWORDS, expressionFunctions, signatureOf } from '../expression/index.ts'
import { SOFT_WORDS, SQL_KEYWORDS, SYSTEM_VARIABLES } from '../sql/index.ts'
import { STORED_TABLES } from './stored/stored-tables.ts'

/** A function as an editor completes it. */
interface GqlFunction {
  readonly name: string
  readonly group: string
  readonly signature: string
  readonly help: string
  readonly example: string
}

/** A table of stored data with its columns; those that `*` leaves out are hidden. */
interface GqlTable {
  readonly name: string
  readonly columns: ReadonlyArray<{
    readonly name: string
    readonly valueType: string
    readonly isHidden: boolean
  }>
}

/** What can be written in GS SQL beside names of people's own. */
export interface GqlLanguage {
  readonly keywords: readonly string[]
  readonly functions: readonly GqlFunction[]
  readonly variables: ReadonlyArray<{ readonly name: string; readonly valueType: string }>
  readonly tables: readonly GqlTable[]
}

const GROUPED: ReadonlyArray<readonly [signature: string, help: string, example: string]> = [
  [
    'count([DISTINCT] x)',
    'Number of rows in a group where x is not NULL. count(*) counts all rows.',
    'count(*)',
  ],
  ['sum([DISTINCT] x)', 'Sum of a group.', 'sum(sample)'],
  ['avg([DISTINCT] x)', 'Mean of a group.', 'avg(sample)'],
  ['min(x)', 'Smallest value of a group.', 'min(sample)'],
  ['max(x)', 'Largest value of a group.', 'max(sample)'],
  ['first(x, [by])', 'Value with the smallest "by" (default: time).', 'first(sample)'],
  ['last(x, [by])', 'Value with the largest "by" (default: time).', 'last(sample)'],
  ['group_concat([DISTINCT] x, [separator])', 'Joined texts of a group.', "group_concat(id, ', ')"],
]

const groupFunctions = GROUPED.map(([signature, help, example]): GqlFunction => {
  const name = signature.slice(0, signature.indexOf('('))
  return { name, group: 'Aggregates', signature, help, example }
})

const NOW: GqlFunction = {
  name: 'now',
  group: 'Request',
  signature: 'now()',
  example: 'now() - 86400000',
  help: 'Time of the request in epoch milliseconds, constant during the request.',
}

const language: GqlLanguage = {
  keywords: [...new Set<string>([...SQL_KEYWORDS, ...EXPRESSION_KEYWORDS, ...SOFT_WORDS])].sort(),
  functions: [
    ...expressionFunctions.map((entry) => {
      const { name, group, help, examples } = entry
      return { name, group, signature: signatureOf(entry), help, example: examples[0][0] }
    }),
    ...groupFunctions,
    NOW,
  ],
  variables: Object.entries(SYSTEM_VARIABLES).map(([name, valueType]) => ({ name, valueType })),
  tables: Object.entries(STORED_TABLES).map(([name, columns]) => ({
    name,
    columns: columns.map(({ name: column, type, isHidden = false }) => ({
      name: column,
      valueType: type === 'UNKNOWN' ? '' : type,
      isHidden,
    })),
  })),
}

/** The words of GS SQL. */
export function gqlLanguage(): GqlLanguage {
  return language
}
