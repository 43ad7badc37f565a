import { createContext, useContext } from 'react'
import { recordKey } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Button } from '../../../ui/button.tsx'
import type { PanelStream } from '../board-types.ts'
import styles from './panels.module.css'
import { readComponentName } from './stream-facts.ts'

/** Removes a stream from the panel; undefined for users who may not change the board. */
export const DropContext = createContext<((stream: PanelStream) => void) | undefined>(undefined)

interface GoneStreamProps {
  readonly stream: PanelStream
  /** How it was called when it was last seen; else what the board has kept. */
  readonly name: string | undefined
}

/** Says that a stream is deleted, by the name it had or what else is known of it, with a way to take it off the board. */
export function GoneStream({ stream, name }: GoneStreamProps) {
  const onDrop = useContext(DropContext)
  const known = name || stream.label || ''
  const traced = useTrace(stream, known !== '')
  const label = known || traced
  return (
    <p className={styles.gone}>
      {label} was deleted.{' '}
      {onDrop !== undefined && (
        <Button kind="plain" onClick={() => onDrop(stream)}>
          Remove from board<span className="visually-hidden"> {label.slice(0, 80)}</span>
        </Button>
      )}
    </p>
  )
}

/** What is known of a stream whose name nobody has kept: its component, while that is there, and its UID. */
function useTrace({ componentUid, streamUid }: PanelStream, isOff: boolean): string {
  const key = recordKey('component', componentUid, 'called')
  const { data = '' } = useQuery(key, () => readComponentName(componentUid), { isOff })
  return `${data === '' ? 'A stream' : `A stream of ${data}`} (UID ${streamUid})`
}
