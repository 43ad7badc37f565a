import type { Choice } from '../../../ui/select.tsx'

/** What a variable may read of its stream. */
export const READINGS: readonly Choice[] = [
  { value: '', label: 'Its samples' },
  { value: 'avg', label: 'The mean' },
  { value: 'sum', label: 'The sum' },
  { value: 'min', label: 'The minimum' },
  { value: 'max', label: 'The maximum' },
  { value: 'first', label: 'The first sample' },
  { value: 'last', label: 'The last sample' },
  { value: 'minoccurrence', label: 'The time of the minimum' },
  { value: 'maxoccurrence', label: 'The time of the maximum' },
  { value: 'nongapcount', label: 'How many samples' },
  { value: 'gapcount', label: 'How many gaps' },
  { value: 'intvlcount', label: 'How many intervals' },
  { value: 'milliseccount', label: 'Its length in ms' },
  { value: 'nongapmilliseccount', label: 'Milliseconds with samples' },
]
