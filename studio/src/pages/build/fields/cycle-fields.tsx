import type { RecordKinds } from '../../../api/records.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import styles from '../build.module.css'
import type { FieldsProps } from '../form.ts'
import { CyclePreview } from './cycle-preview.tsx'
import { SizeFields, ZoneOf } from './shared-fields.tsx'
import { TextField } from './text-field.tsx'

type Cycle = RecordKinds['cycle']

const TYPES = ['MILLISEC', 'SECOND', 'MINUTE', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR', 'CUSTOM']

/** The fields of a cycle, with what they mean: its next periods. */
export function CycleFields(props: FieldsProps<Cycle>) {
  const { value } = props
  const isCustom = value.sizeType === 'CUSTOM'
  return (
    <>
      <TextField of={props} field="name" label="Name" />
      <TextField
        of={props}
        field="id"
        label="ID"
        hint="Used in statistics requests. Unique in the organization"
      />
      <SizeFields of={props} label={isCustom ? undefined : 'Period length'} types={TYPES} />
      {!isCustom && (
        <TextField
          of={props}
          field="referenceDate"
          label="Reference start"
          placeholder="2024-01-01T06:00:00"
          hint="Start of any one period: a local date, or date and time"
        />
      )}
      <ZoneOf of={props} hint="Leave blank for the time zone of the component" />
      {isCustom && <Intervals {...props} />}
      <div className={styles.whole}>
        <CyclePreview cycle={value} />
      </div>
    </>
  )
}

function Intervals({ value, set, errorOf }: FieldsProps<Cycle>) {
  const { intervals } = value
  const change = (at: number, more: object) =>
    set({ intervals: intervals.map((one, place) => (place === at ? { ...one, ...more } : one)) })
  const whole = errorOf('intervals')
  const isOfOne = intervals.some((_, at) => errorOf(`intervals[${at}]`) !== undefined)
  return (
    <div className={styles.whole}>
      <h2>Periods</h2>
      {intervals.map((interval, at) => {
        const place = `intervals[${at}]`
        const error = errorOf(`${place}.from`)
        const both = errorOf(`${place}.until`) ?? (error === undefined ? errorOf(place) : undefined)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: periods have no other key.
          <div key={at} className={styles.interval}>
            <Field
              label={`Period ${at + 1} from`}
              placeholder="2024-01-01"
              value={interval.from}
              error={error}
              onChange={(event) => change(at, { from: event.currentTarget.value })}
            />
            <Field
              label={`Period ${at + 1} until (exclusive)`}
              placeholder="2024-02-01"
              value={interval.until}
              error={both}
              onChange={(event) => change(at, { until: event.currentTarget.value })}
            />
            <IconButton
              icon="trash"
              label={`Remove period ${at + 1}`}
              onClick={() => set({ intervals: intervals.filter((_, place) => place !== at) })}
            />
          </div>
        )
      })}
      {whole !== undefined && !isOfOne && <p role="alert">{whole}</p>}
      <Button
        icon="plus"
        onClick={() => {
          const from = intervals.at(-1)?.until ?? ''
          set({ intervals: [...intervals, { from, until: '' }] })
        }}
      >
        Add period
      </Button>
    </div>
  )
}
