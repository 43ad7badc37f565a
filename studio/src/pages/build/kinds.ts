import type { RecordKind } from '../../api/records.ts'

/** The kinds that are edited under /build. */
export type BuildKind = Exclude<RecordKind, 'dashboard' | 'connector' | 'connection' | 'query'>

/** How people call a kind. */
export interface KindWords {
  readonly kind: BuildKind
  readonly many: string
  readonly one: string
  /** What an empty list says. */
  readonly empty: string
}

/** The kinds in the order of the page. */
export const KINDS: readonly KindWords[] = [
  {
    kind: 'component',
    many: 'Components',
    one: 'component',
    empty:
      'Components are devices and things with streams. A device that sends its first sample makes its own.',
  },
  {
    kind: 'component_template',
    many: 'Templates',
    one: 'template',
    empty:
      'A template says which streams a component of some make has, so that the next one is made in one step.',
  },
  {
    kind: 'cycle',
    many: 'Cycles',
    one: 'cycle',
    empty:
      'Cycles are the periods of statistics and interval streams: shifts, billing months, seasons.',
  },
  {
    kind: 'unit',
    many: 'Units',
    one: 'unit',
    empty: 'Units say how values are shown: a symbol, a number format, words for on and off.',
  },
  {
    kind: 'delete_profile',
    many: 'Delete profiles',
    one: 'delete profile',
    empty: 'A delete profile says how long a stream keeps its samples.',
  },
  {
    kind: 'component_folder',
    many: 'Folders',
    one: 'folder',
    empty: 'Folders put components in order: halls, sites, customers.',
  },
]

/** The words of a kind in an address; undefined: there is no such kind. */
export function wordsOf(kind: string | undefined): KindWords | undefined {
  return KINDS.find((one) => one.kind === (kind ?? 'component'))
}
