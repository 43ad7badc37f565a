import { call } from '../../api/client.ts'
import { useQuery } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import type { CycleChoice } from '../../state/cycle-choice.ts'
import { BAND } from '../../state/plots.ts'
import { missingOf } from '../../ui/missing.tsx'
import { Select } from '../../ui/select.tsx'
import { cycleWords } from '../cycle-words.ts'
import styles from './controls.module.css'

const STATISTICS: ReadonlyArray<readonly [id: string, label: string]> = [
  [BAND, 'Average, min and max'],
  ['avg', 'Average'],
  ['min', 'Minimum'],
  ['max', 'Maximum'],
  ['sum', 'Sum'],
  ['first', 'First'],
  ['last', 'Last'],
  ['nongapcount', 'Count'],
  ['gapcount', 'Gaps'],
]

/** The cycle and statistic that the address asks for; undefined: the samples themselves. */
export function cycleIn(query: URLSearchParams): CycleChoice | undefined {
  const cycle = query.get('cycle') ?? ''
  const stat = query.get('stat') ?? BAND
  return cycle === '' ? undefined : { cycle, stat }
}

/** Chooses the samples, or a statistic for each period of a cycle. */
export function CyclePicker() {
  const { query, change } = useAddress()
  const chosen = cycleIn(query)
  const asked = useQuery(['cycle', 'all'], (signal) =>
    call('get', '/api/cycle', { query: { limit: 1_000 }, signal }),
  )
  const cycles = (asked.data?.cycle ?? []).filter(({ id }) => id !== '')
  const choices = [
    { value: '', label: 'Samples' },
    ...cycles.map(({ id, name }) => ({ value: id, label: `By ${cycleWords(name || id)}` })),
  ]
  if (chosen !== undefined && !cycles.some(({ id }) => id === chosen.cycle)) {
    choices.push({ value: chosen.cycle, label: `By ${cycleWords(chosen.cycle)}` })
  }
  return (
    <div className={styles.selects}>
      <Select
        label="Cycle"
        isLabelHidden
        className={styles.select}
        value={chosen?.cycle ?? ''}
        choices={choices}
        onChoose={(cycle) =>
          change({ cycle, stat: cycle === '' ? undefined : (chosen?.stat ?? BAND) }, { step: true })
        }
      />
      {missingOf('cycles', asked)}
      {chosen !== undefined && (
        <Select
          label="Statistic"
          isLabelHidden
          className={styles.select}
          value={chosen.stat}
          choices={STATISTICS.map(([value, label]) => ({ value, label }))}
          onChoose={(stat) => change({ stat }, { step: true })}
        />
      )}
    </div>
  )
}
