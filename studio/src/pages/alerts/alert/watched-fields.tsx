import { useState } from 'react'
import { useRole } from '../../../api/session.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { StreamPicker } from '../../boards/panels/stream-picker.tsx'
import { LabelFields } from '../../build/fields/label-fields.tsx'
import { useChoices } from '../../build/fields/use-choices.ts'
import type { FieldsProps } from '../../build/form.ts'
import styles from './alert.module.css'
import type { Alert } from './alert-words.ts'

type Way = 'streams' | 'template' | 'labels'

const WAYS = [
  { value: 'streams', label: 'Chosen streams' },
  { value: 'template', label: 'A stream of a template' },
  { value: 'labels', label: 'Streams with labels' },
]

const NOTHING = { streams: [], template: null, streamId: '', labels: {} }

function wayOf({ template, labels }: Alert): Way {
  if (template !== null) return 'template'
  return Object.keys(labels).length > 0 ? 'labels' : 'streams'
}

/** Which streams an alert watches. */
export function WatchedFields(props: FieldsProps<Alert>) {
  const { value, set, errorOf } = props
  const [way, setWay] = useState(() => wayOf(value))
  return (
    <>
      <Select
        label="Watches"
        choices={WAYS}
        value={way}
        onChoose={(next) => {
          setWay(next as Way)
          set(NOTHING)
        }}
      />
      {way === 'streams' && <ChosenStreams {...props} />}
      {way === 'template' && <OfTemplate {...props} />}
      {way === 'labels' && (
        <LabelFields
          labels={value.labels}
          error={errorOf('labels')}
          onChange={(labels) => set({ labels: labels as Alert['labels'] })}
        />
      )}
    </>
  )
}

function ChosenStreams({ value, set, errorOf }: FieldsProps<Alert>) {
  const [labels, setLabels] = useState<Readonly<Record<string, string>>>({})
  const { streams } = value
  const isReader = useRole() === 'GUEST'
  return (
    <div className={styles.watched}>
      {streams.length > 0 && (
        <ul className={styles.picked} aria-label="Watched streams">
          {streams.map((one) => {
            const name = labels[one.streamUid] ?? `${one.componentId} · ${one.streamId}`
            return (
              <li key={one.streamUid}>
                <span>{name}</span>
                {!isReader && (
                  <IconButton
                    icon="close"
                    label={`Remove ${name}`}
                    onClick={() => set({ streams: streams.filter((other) => other !== one) })}
                  />
                )}
              </li>
            )
          })}
        </ul>
      )}
      {!isReader && (
        <StreamPicker
          onPick={({ componentUid, streamUid, label = '' }) => {
            setLabels((known) => ({ ...known, [streamUid]: label }))
            if (streams.some((one) => one.streamUid === streamUid)) return
            const picked = { componentUid, streamUid, componentId: '', streamId: '' }
            set({ streams: [...streams, picked] })
          }}
        />
      )}
      {errorOf('streams') !== undefined && <p role="alert">{errorOf('streams')}</p>}
    </div>
  )
}

function OfTemplate({ value, set, errorOf }: FieldsProps<Alert>) {
  const { choices, hint } = useChoices('component_template', value.template?.uid ?? '', 'Choose')
  return (
    <>
      <Select
        label="Template"
        hint={hint}
        choices={choices}
        value={value.template?.uid ?? ''}
        error={errorOf('template')}
        onChoose={(uid) => set({ template: uid === '' ? null : { uid } })}
      />
      <Field
        label="Stream ID"
        value={value.streamId}
        error={errorOf('streamId')}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => set({ streamId: event.currentTarget.value })}
      />
    </>
  )
}
