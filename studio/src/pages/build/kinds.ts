import type { RecordKind } from '../../api/records.ts'

/** The kinds that are edited under /build. */
export type BuildKind = Exclude<
  RecordKind,
  'alert' | 'channel' | 'dashboard' | 'connector' | 'connection' | 'query'
>

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
      'A component is a device or a thing with streams. A device’s first sample creates its component.',
  },
  {
    kind: 'component_template',
    many: 'Templates',
    one: 'template',
    empty:
      'A template lists the streams of one kind of component. Use it to create components in one step.',
  },
  {
    kind: 'cycle',
    many: 'Cycles',
    one: 'cycle',
    empty:
      'A cycle defines the periods of statistics and interval streams, such as shifts, billing months, or seasons.',
  },
  {
    kind: 'unit',
    many: 'Units',
    one: 'unit',
    empty: 'A unit defines how values are shown: symbol, number format, and words for on and off.',
  },
  {
    kind: 'delete_profile',
    many: 'Delete profiles',
    one: 'delete profile',
    empty: 'A delete profile defines how long a stream keeps its samples.',
  },
  {
    kind: 'component_folder',
    many: 'Folders',
    one: 'folder',
    empty: 'Folders group components, for example by hall, site, or customer.',
  },
]

/** The words of a kind in an address; undefined: there is no such kind. */
export function wordsOf(kind: string | undefined): KindWords | undefined {
  return KINDS.find((one) => one.kind === (kind ?? 'component'))
}
