import { serviceAddress } from '../../api/base-path.ts'
import { OwnKeyRow } from '../../app/own-key-row.tsx'
import { useOwnKey } from '../../state/use-own-key.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from './explore.module.css'

/** What belongs into a component without streams: how to send the first sample of one. */
export function NoStreams({ compId }: { readonly compId: string }) {
  return compId === '' ? (
    <Empty text="Add streams under Build. Devices cannot send samples to a component without an ID." />
  ) : (
    <FirstLine compId={compId} />
  )
}

function FirstLine({ compId }: { readonly compId: string }) {
  const key = useOwnKey()
  const address = `${serviceAddress}/api/feed?compId=${encodeURIComponent(compId)}&temp=21.5`
  const write = (secret: string) => `curl -X PUT -H "X-Api-Key: ${secret}" "${address}"`
  const canCopy = key.secret !== undefined || key.text === 'YOUR_KEY'
  return (
    <Empty text="Streams appear here when their first sample arrives:">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre className={styles.curl} tabIndex={0}>
        {write(key.text)}
      </pre>
      {canCopy && <CopyButton text={write(key.secret ?? key.text)} what=" this command" />}
      <OwnKeyRow of={key} />
    </Empty>
  )
}
