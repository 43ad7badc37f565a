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
import { CompareButton } from './compare-button.tsx'
import { OverlayView } from './overlay-view.tsx'
import { namesIn, STREAMS_MAX, useStreams, type ViewSeries } from './use-streams.ts'
import styles from './view.module.css'

/** Streams over each other: `/view?s=<component uid>.<stream uid>,…`, with periods and statistics of them. */
export function ViewPage() {
  const { query, change } = useAddress()
  const [isAdding, setIsAdding] = useState(false)
  const names = namesIn(query)
  const { data, error } = useStreams(names)
  const found = (data ?? []).flatMap((one) => (one.series === undefined ? [] : [one.series]))
  const lost = (data ?? []).flatMap((one) => (one.error === undefined ? [] : [one]))
  const setNames = (next: readonly string[]) => change({ s: next.join(',') }, { step: true })
  const addName = (name: string) => {
    if (!names.includes(name)) setNames([...names, name])
  }
  const add = ({ componentUid, streamUid }: Pick<FoundStream, 'componentUid' | 'streamUid'>) => {
    addName(`${componentUid}.${streamUid}`)
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
            streams={baseStreams(found)}
            title={baseStreams(found)
              .map(({ streamName }) => streamName)
              .join(', ')}
          />
          {found.length > 0 && (
            <CompareButton streams={baseStreams(found)} isFull={isFull} onAdd={addName} />
          )}
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

/** The streams of a view, each once, without what they are compared with. */
function baseStreams(all: readonly ViewSeries[]): ViewSeries[] {
  return [...new Map(all.map((one) => [one.streamUid, one])).values()]
}
