import { createContext, useContext } from 'react'
import { Button } from '../../../ui/button.tsx'
import type { PanelStream } from '../board-types.ts'
import styles from './panels.module.css'

/** Takes a stream off the panel around it; undefined for whoever may not change the board. */
export const DropContext = createContext<((stream: PanelStream) => void) | undefined>(undefined)

interface GoneStreamProps {
  readonly stream: PanelStream
  /** How it was called when it was last seen; else what the board has kept. */
  readonly name: string | undefined
}

/** Says that a stream is deleted, by the name it had, with a way to take it off the board. */
export function GoneStream({ stream, name }: GoneStreamProps) {
  const onDrop = useContext(DropContext)
  const label = name || stream.label || 'This stream'
  return (
    <p className={styles.gone}>
      {label} was deleted.{' '}
      {onDrop !== undefined && (
        <Button kind="plain" onClick={() => onDrop(stream)}>
          Take it off<span className="visually-hidden"> the board: {label.slice(0, 80)}</span>
        </Button>
      )}
    </p>
  )
}
