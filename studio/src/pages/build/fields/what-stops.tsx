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
          ? 'One stream is derived from it. That stream keeps its samples but gets no new ones:'
          : `${derivedCount.toLocaleString()} streams are derived from it. They keep their samples but get no new ones:`}
      </p>
      <ul className={styles.stops} aria-label="Streams that get no new samples">
        {derived.map((one) => (
          <li key={one.streamUid}>
            {(one.streamName || one.streamId || 'an unnamed stream').slice(0, NAME_LENGTH_MAX)}
            {' of '}
            {(one.componentName || one.componentId || 'an unnamed component').slice(
              0,
              NAME_LENGTH_MAX,
            )}
          </li>
        ))}
        {more > 0 && (
          <li>
            {derived.length === 0 ? '' : 'and '}
            {more === 1 ? 'one' : more.toLocaleString()}
            {derived.length === 0 ? ' that you cannot access' : ' more'}
          </li>
        )}
      </ul>
    </>
  )
}
