import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useQuery } from '../../../api/use-query.ts'
import { ComponentSearch } from '../../../app/component-search.tsx'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/select.tsx'
import styles from '../board.module.css'
import { labelOf, type PanelStream } from '../board-types.ts'

type Component = Schema<'Component'>

/** Streams of one component that are offered. */
const STREAMS_MAX = 1_000

interface StreamPickerProps {
  readonly onPick: (stream: PanelStream) => void
  readonly label?: string
}

/** Chooses a stream: by words of it and its component, or a component first, then one of its streams. */
export function StreamPicker({
  onPick,
  label = 'Add stream: search component or stream',
}: StreamPickerProps) {
  const [chosen, setChosen] = useState<Component>()
  if (chosen === undefined) {
    return (
      <ComponentSearch
        label={label}
        onChoose={setChosen}
        onStream={({ component, uid, name, id }) => {
          const label = labelOf(`${component.name || component.id} · ${name || id}`)
          onPick({ componentUid: component.uid, streamUid: uid, label })
        }}
      />
    )
  }
  return (
    <Streams
      component={chosen}
      onBack={() => setChosen(undefined)}
      onPick={({ uid, name, id }) => {
        setChosen(undefined)
        const label = labelOf(`${chosen.name || chosen.id} · ${name || id}`)
        onPick({ componentUid: chosen.uid, streamUid: uid, label })
      }}
    />
  )
}

interface StreamsProps {
  readonly component: Component
  readonly onBack: () => void
  readonly onPick: (stream: Schema<'Stream'>) => void
}

function Streams({ component, onBack, onPick }: StreamsProps) {
  const { uid, name, id } = component
  const { data, error } = useQuery(['stream', uid, 'offered'], (signal) =>
    call('get', '/api/component/{componentUid}/stream', {
      path: { componentUid: uid },
      query: { limit: STREAMS_MAX },
      signal,
    }),
  )
  const streams = data?.stream ?? []
  return (
    <div className={styles.side}>
      <Select
        label={`Stream of ${(name || id).slice(0, 60)}`}
        value=""
        error={error?.message}
        choices={[
          {
            value: '',
            label: data !== undefined && streams.length === 0 ? 'No streams' : 'Choose',
          },
          ...streams.map((one) => ({ value: one.uid, label: (one.name || one.id).slice(0, 80) })),
        ]}
        onChoose={(streamUid) => {
          const picked = streams.find((one) => one.uid === streamUid)
          if (picked !== undefined) onPick(picked)
        }}
      />
      <div className={styles.back}>
        <Button onClick={onBack}>Choose another component</Button>
      </div>
    </div>
  )
}
