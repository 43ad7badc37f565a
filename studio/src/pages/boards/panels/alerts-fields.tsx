import { Select } from '../../../ui/select.tsx'
import styles from '../board.module.css'
import type { Panel } from '../board-types.ts'
import { PlaceFields } from '../place-fields.tsx'

type PanelAlerts = NonNullable<Panel['alerts']>

const BLANK: PanelAlerts = { state: 'FIRING', template: '', folder: '', label: '' }
const STATES = [
  { value: 'FIRING', label: 'Firing alerts' },
  { value: 'ALL', label: 'All enabled alerts' },
]

interface AlertsFieldsProps {
  readonly alerts: Panel['alerts']
  readonly errorOf: (field: string) => string | undefined
  readonly onChange: (alerts: PanelAlerts) => void
}

/** Which alerts a panel lists. */
export function AlertsFields({ alerts = BLANK, errorOf, onChange }: AlertsFieldsProps) {
  return (
    <div className={styles.side}>
      <Select
        label="Show"
        choices={STATES}
        value={alerts.state}
        error={errorOf('alerts.state')}
        onChoose={(state) => onChange({ ...alerts, state: state as PanelAlerts['state'] })}
      />
      <PlaceFields
        place={alerts}
        errorOf={(field) => errorOf(`alerts.${field}`)}
        onChange={(changes) => onChange({ ...alerts, ...changes })}
      />
    </div>
  )
}
