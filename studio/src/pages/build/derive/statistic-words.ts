import type { Choice } from '../../../ui/select.tsx'

/** What a variable may read of its stream. */
export const READINGS: readonly Choice[] = [
  { value: '', label: 'Samples' },
  { value: 'avg', label: 'Mean' },
  { value: 'sum', label: 'Sum' },
  { value: 'min', label: 'Minimum' },
  { value: 'max', label: 'Maximum' },
  { value: 'first', label: 'First sample' },
  { value: 'last', label: 'Last sample' },
  { value: 'minoccurrence', label: 'Time of minimum' },
  { value: 'maxoccurrence', label: 'Time of maximum' },
  { value: 'nongapcount', label: 'Number of samples' },
  { value: 'gapcount', label: 'Number of gaps' },
  { value: 'intvlcount', label: 'Number of intervals' },
  { value: 'milliseccount', label: 'Length in ms' },
  { value: 'nongapmilliseccount', label: 'Milliseconds with samples' },
]
