import { Button, IconButton } from '../../../ui/button.tsx'
import styles from '../build.module.css'
import type { FieldsProps } from '../form.ts'
import { blankStream, type StreamDraft } from '../stream-draft.ts'
import { StreamFields } from './stream-fields.tsx'

interface StreamDraftsProps {
  readonly streams: readonly StreamDraft[]
  readonly onChange: (streams: readonly StreamDraft[]) => void
  readonly errorOf: FieldsProps<unknown>['errorOf']
  /** Whether they are of a template. */
  readonly isTemplate?: boolean
}

/** The streams of a record that is saved with them: a new component, or a template. */
export function StreamDrafts({ streams, onChange, errorOf, isTemplate }: StreamDraftsProps) {
  return (
    <div className={`${styles.part} ${styles.whole}`}>
      <h2>Streams</h2>
      {streams.map((stream, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: unsaved items have no other key.
        <fieldset key={at} className={styles.stream}>
          <legend>{stream.name || stream.id || `Stream ${at + 1}`}</legend>
          <div className={styles.form}>
            <StreamFields
              value={stream}
              isNew={stream.uid === ''}
              place={{ beside: streams, isTemplate }}
              set={(changes) =>
                onChange(streams.map((one, place) => (place === at ? { ...one, ...changes } : one)))
              }
              errorOf={(field) => errorOf(`stream[${at}].${field}`)}
            />
          </div>
          <IconButton
            icon="trash"
            label={`Remove stream ${at + 1}`}
            onClick={() => onChange(streams.filter((_, place) => place !== at))}
          />
        </fieldset>
      ))}
      <div>
        <Button icon="plus" onClick={() => onChange([...streams, blankStream])}>
          Add stream
        </Button>
      </div>
    </div>
  )
}
