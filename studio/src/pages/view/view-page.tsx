import { useState } from 'react'
import { sharedAddress } from '../../api/organization.ts'
import { useAddress } from '../../app/place.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { PutOnBoardButton } from '../boards/put-on-board-button.tsx'
import { AddStream } from './add-stream.tsx'
import { OverlayView } from './overlay-view.tsx'
import { namesIn, STREAMS_MAX, useStreams } from './use-streams.ts'
import styles from './view.module.css'

/** Streams over each other: `/view?s=<component uid>.<stream uid>,…`. */
export function ViewPage() {
  const { query, change } = useAddress()
  const [isAdding, setIsAdding] = useState(false)
  const names = namesIn(query)
  const { data, error } = useStreams(names)
  const found = (data ?? []).flatMap((one) => (one.stream === undefined ? [] : [one.stream]))
  const lost = (data ?? []).flatMap((one) => (one.error === undefined ? [] : [one]))
  const setNames = (next: readonly string[]) => change({ s: next.join(',') }, { step: true })
  const add = ({ componentUid, streamUid }: Pick<FoundStream, 'componentUid' | 'streamUid'>) => {
    const name = `${componentUid}.${streamUid}`
    if (!names.includes(name)) setNames([...names, name])
    setIsAdding(false)
  }
  const isFull = names.length >= STREAMS_MAX
  return (
    <PageFrame
      title="Compare streams"
      foldsActions
      actions={
        <>
          {names.length > 0 && <CopyButton text={sharedAddress()} label="Copy link" />}
          <PutOnBoardButton
            streams={found}
            title={found.map(({ streamName }) => streamName).join(', ')}
          />
          <Button icon="plus" kind="primary" disabled={isFull} onClick={() => setIsAdding(true)}>
            Add stream
          </Button>
        </>
      }
    >
      {error !== undefined && <Empty text={error.message} />}
      {lost.map(({ name, error: refused }) => (
        <p key={name} className={styles.lost} role="alert">
          {refused?.message}{' '}
          <Button kind="plain" onClick={() => setNames(names.filter((one) => one !== name))}>
            Remove
          </Button>
        </p>
      ))}
      {names.length === 0 && (
        <Empty text="Add streams to compare them on one time axis. Up to two units get an axis each.">
          <Button icon="plus" onClick={() => setIsAdding(true)}>
            Add first stream
          </Button>
        </Empty>
      )}
      {found.length > 0 && (
        <OverlayView
          streams={found}
          onRemove={(name) => setNames(names.filter((one) => one !== name))}
        />
      )}
      {isAdding && <AddStream onAdd={add} onClose={() => setIsAdding(false)} />}
    </PageFrame>
  )
}
