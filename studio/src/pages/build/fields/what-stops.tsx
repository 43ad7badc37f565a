import type { Schema } from '../../../api/paths.ts'
import styles from '../build.module.css'

const NAME_LENGTH_MAX = 80

/** The derived streams that get nothing more when their source goes; nothing where there are none. */
export function WhatStops({ extent }: { readonly extent: Schema<'Extent'> }) {
  const { derivedCount, derived } = extent
  if (derivedCount === 0) return null
  const more = derivedCount - derived.length
  return (
    <>
      <p>
        {derivedCount === 1
          ? 'Another stream is derived from it. It keeps its samples and gets no more:'
          : `${derivedCount.toLocaleString()} other streams are derived from it. They keep their samples and get no more:`}
      </p>
      <ul className={styles.stops} aria-label="Streams that get no more samples">
        {derived.map((one) => (
          <li key={one.streamUid}>
            {(one.streamName || one.streamId || 'a stream without a name').slice(
              0,
              NAME_LENGTH_MAX,
            )}
            {' of '}
            {(one.componentName || one.componentId || 'a component without a name').slice(
              0,
              NAME_LENGTH_MAX,
            )}
          </li>
        ))}
        {more > 0 && (
          <li>
            {derived.length === 0 ? '' : 'and '}
            {more === 1 ? 'one' : more.toLocaleString()}
            {derived.length === 0 ? ' that you may not see' : ' more'}
          </li>
        )}
      </ul>
    </>
  )
}
