import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { useAct } from '../../api/use-act.ts'
import { useQuery } from '../../api/use-query.ts'
import { ComponentSearch } from '../../app/component-search.tsx'
import { cycleWords } from '../../chart/cycle-words.ts'
import { statisticLabel } from '../../chart/period-table.tsx'
import { EARLIER, type Earlier } from '../../state/earlier.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { missingOf } from '../../ui/missing.tsx'
import { Select } from '../../ui/select.tsx'
import { writeSeriesName } from './series-name.ts'
import styles from './view.module.css'

const PERIODS: Readonly<Record<Earlier, string>> = {
  day: 'Previous day',
  week: 'Previous week',
  month: 'Previous month',
  year: 'Previous year',
}

const STATISTICS = ['avg', 'min', 'max', 'sum', 'first', 'last', 'nongapcount'] as const

/** The streams of a component are looked through for one with the same ID. */
const STREAMS_MAX = 1_000

interface CompareDialogProps {
  readonly streams: readonly FoundStream[]
  readonly onAdd: (name: string) => void
  readonly onClose: () => void
}

/** Chooses what a stream is compared with. */
export function CompareDialog({ streams, onAdd, onClose }: CompareDialogProps) {
  const [chosen, setChosen] = useState(streams[0].streamUid)
  const stream = streams.find(({ streamUid }) => streamUid === chosen) ?? streams[0]
  const { componentUid, streamUid } = stream
  return (
    <Dialog title="Compare with" isWide isTop onClose={onClose}>
      {streams.length > 1 && (
        <Select
          label="Stream"
          value={streamUid}
          choices={streams.map((one) => ({
            value: one.streamUid,
            label: `${one.componentName} / ${one.streamName}`.slice(0, 80),
          }))}
          onChoose={setChosen}
        />
      )}
      <fieldset className={styles.compared}>
        <legend>Earlier, by calendar</legend>
        <div className={styles.periods}>
          {EARLIER.map((earlier) => (
            <Button
              key={earlier}
              onClick={() => onAdd(writeSeriesName({ componentUid, streamUid, earlier }))}
            >
              {PERIODS[earlier]}
            </Button>
          ))}
        </div>
      </fieldset>
      <StatisticChoice stream={stream} onAdd={onAdd} />
      <DeviceChoice stream={stream} onAdd={onAdd} />
    </Dialog>
  )
}

interface ChoiceProps {
  readonly stream: FoundStream
  readonly onAdd: (name: string) => void
}

function StatisticChoice({ stream, onAdd }: ChoiceProps) {
  const [cycle, setCycle] = useState('day')
  const [stat, setStat] = useState<string>('avg')
  const asked = useQuery(['cycle', 'all'], (signal) =>
    call('get', '/api/cycle', { query: { limit: 1_000 }, signal }),
  )
  const cycles = (asked.data?.cycle ?? []).filter(({ id }) => id !== '')
  const { componentUid, streamUid } = stream
  return (
    <fieldset className={styles.compared}>
      <legend>A statistic of the same stream</legend>
      <div className={styles.periods}>
        <Select
          label="Statistic"
          value={stat}
          choices={STATISTICS.map((value) => ({ value, label: statisticLabel(value) }))}
          onChoose={setStat}
        />
        <Select
          label="For each"
          value={cycle}
          hint={missingOf('cycles', asked)}
          choices={cycles.map(({ id, name }) => ({
            value: id,
            label: cycleWords(name || id).slice(0, 60),
          }))}
          onChoose={setCycle}
        />
        <Button
          onClick={() =>
            onAdd(writeSeriesName({ componentUid, streamUid, cycle: { cycle, stat } }))
          }
        >
          Add statistic
        </Button>
      </div>
    </fieldset>
  )
}

function DeviceChoice({ stream, onAdd }: ChoiceProps) {
  const [problem, setProblem] = useState<string>()
  const finding = useAct()
  const choose = (component: Schema<'Component'>) =>
    finding.run(async () => {
      setProblem(undefined)
      const found = await streamLike(stream, component)
      if (found !== undefined) {
        return onAdd(writeSeriesName({ componentUid: component.uid, streamUid: found }))
      }
      const name = component.name || component.id
      setProblem(`${name} has no stream like ${stream.streamName}.`)
    })
  return (
    <fieldset className={styles.compared}>
      <legend>The same stream of another device</legend>
      <ComponentSearch label="Device" onChoose={(component) => void choose(component)} />
      <FormAlert>{finding.error?.message ?? problem}</FormAlert>
    </fieldset>
  )
}

/** The stream of a component with the same ID, else with the same name; undefined without one. */
async function streamLike(
  { componentUid, streamUid, record, streamName }: FoundStream,
  { uid }: Schema<'Component'>,
): Promise<string | undefined> {
  if (uid === componentUid) return streamUid
  const { stream } = await call('get', '/api/component/{componentUid}/stream', {
    path: { componentUid: uid },
    query: { limit: STREAMS_MAX },
  })
  const byId = stream.find(({ id }) => id !== '' && id === record?.id)
  return (byId ?? stream.find(({ name }) => name === streamName))?.uid
}
