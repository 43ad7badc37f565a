import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import styles from './build.module.css'

interface SaveBarProps {
  readonly isNew: boolean
  readonly isChanged: boolean
  readonly isBusy: boolean
  /** What was wrong and belongs to no field. */
  readonly rest: string | undefined
  /** Whether somebody else has changed the record since. */
  readonly isStale: boolean
  readonly onDiscard: () => void
  readonly onSaveOver: () => void
  readonly children?: ReactNode
}

/** The end of a form: what was wrong with the whole, saving, and the way back. */
export function SaveBar(props: SaveBarProps) {
  const { isNew, isChanged, isBusy, rest, isStale, onDiscard, onSaveOver, children } = props
  return (
    <>
      <FormAlert>{rest}</FormAlert>
      <div className={styles.bar}>
        <Button kind="primary" type="submit" isBusy={isBusy} disabled={!isNew && !isChanged}>
          {isNew ? 'Make it' : 'Save'}
        </Button>
        {isChanged && <Button onClick={onDiscard}>Discard changes</Button>}
        {isStale && !isNew && (
          <Button kind="danger" onClick={onSaveOver}>
            Save mine over theirs
          </Button>
        )}
        {children}
      </div>
      {isChanged && (
        <p className={styles.note}>
          Not saved yet. What you entered is kept in this tab, also when it is loaded again.
        </p>
      )}
    </>
  )
}
