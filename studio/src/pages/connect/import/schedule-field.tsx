import { useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { browserZone } from '../../../ui/time/zone-time.ts'
import { ZoneField } from '../../../ui/zone-field.tsx'
import type { FieldsProps } from '../../build/form.ts'
import type { Connector } from '../connector-types.ts'
import { clockText, WEEKDAYS } from './cron-words.ts'
import { NextRuns } from './next-runs.tsx'
import { cronOf, type DailyTime, dailyTime, kindOf, type ScheduleKind } from './schedule-words.ts'

const KINDS: ReadonlyArray<{ readonly value: ScheduleKind; readonly label: string }> = [
  { value: 'never', label: 'Manually' },
  { value: 'minutes', label: 'Every N minutes' },
  { value: 'day', label: 'Every day' },
  { value: 'weekday', label: 'Every weekday' },
  { value: 'week', label: 'Every week' },
  { value: 'cron', label: 'Cron expression' },
]
const MORNING: DailyTime = { kind: 'day', hour: 6, minute: 0, weekday: 1 }

interface ScheduleFieldProps extends FieldsProps<Connector> {
  /** Whether the service has the schedule as it is shown. */
  readonly isScheduleSaved: boolean
}

/** When an import runs by itself. */
export function ScheduleField({ value, set, errorOf, isScheduleSaved }: ScheduleFieldProps) {
  const schedule = value.schedule ?? null
  const [kind, setKind] = useState(kindOf(schedule))
  const isCron = schedule !== null && 'cron' in schedule
  const timeZoneId = isCron ? schedule.timeZoneId : browserZone()
  const time = (isCron ? dailyTime(schedule.cron) : undefined) ?? MORNING
  const setCron = (cron: string) => set({ schedule: { cron, timeZoneId } })
  const choose = (next: ScheduleKind) => {
    setKind(next)
    if (next === 'never') set({ schedule: null })
    else if (next === 'minutes') set({ schedule: { everyMinutes: 15 } })
    else if (next === 'cron') setCron(isCron ? schedule.cron : cronOf(MORNING))
    else setCron(cronOf({ ...time, kind: next }))
  }
  return (
    <>
      <Select
        label="Schedule"
        choices={KINDS}
        value={kind}
        error={errorOf('schedule')}
        onChoose={(chosen) => choose(chosen as ScheduleKind)}
      />
      {kind === 'minutes' && schedule !== null && 'everyMinutes' in schedule && (
        <Field
          label="Minutes"
          type="number"
          min={1}
          value={schedule.everyMinutes}
          onChange={(event) => {
            const everyMinutes = event.currentTarget.valueAsNumber
            if (Number.isInteger(everyMinutes)) set({ schedule: { everyMinutes } })
          }}
        />
      )}
      {kind === 'week' && (
        <Select
          label="On"
          choices={WEEKDAYS.map((label, at) => ({ value: String(at), label }))}
          value={String(time.weekday)}
          onChoose={(day) => setCron(cronOf({ ...time, kind, weekday: Number(day) }))}
        />
      )}
      {(kind === 'day' || kind === 'weekday' || kind === 'week') && (
        <Field
          label="At"
          type="time"
          value={clockText(time)}
          onChange={(event) => {
            const [hour, minute] = event.currentTarget.value.split(':').map(Number)
            if (minute !== undefined) setCron(cronOf({ ...time, kind, hour, minute }))
          }}
        />
      )}
      {kind === 'cron' && (
        <Field
          label="Minute, hour, day, month, weekday"
          value={isCron ? schedule.cron : ''}
          spellCheck={false}
          onChange={(event) => setCron(event.currentTarget.value)}
        />
      )}
      {isCron && (
        <ZoneField
          label="Time zone of the schedule"
          value={timeZoneId}
          onChange={(zone) => set({ schedule: { cron: schedule.cron, timeZoneId: zone } })}
        />
      )}
      <NextRuns connector={value} isSaved={isScheduleSaved} />
    </>
  )
}
