import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { RecordKinds } from '../../../api/records.ts'
import { useQuery } from '../../../api/use-query.ts'
import { useQuiet } from '../../../ui/use-quiet.ts'
import { ZoneField } from '../../../ui/zone-field.tsx'
import styles from './cycle-preview.module.css'

const SHOWN = 8

/** The next periods of a cycle as its fields stand, in a zone, while they are typed. */
export function CyclePreview({ cycle }: { readonly cycle: RecordKinds['cycle'] }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const [zone, setZone] = useState(own)
  const { uid: _, revision: __, id: ___, name: ____, ...definition } = cycle
  const asked = useQuiet(JSON.stringify({ cycle: definition, timeZoneId: zone }))
  const { data, error } = useQuery(
    ['cycle-preview', asked],
    (signal) => {
      const body = { ...JSON.parse(asked), count: SHOWN }
      return call('post', '/api/cycle/preview', { body, signal })
    },
    { keepPrevious: true },
  )
  return (
    <section className={styles.preview} aria-label="Next periods">
      <div className={styles.head}>
        <h2>Next periods</h2>
        {cycle.timeZoneId === '' && (
          <ZoneField label="in time zone" value={zone} onChange={setZone} />
        )}
      </div>
      {error !== undefined && <p className={styles.wrong}>{error.message}</p>}
      {data !== undefined && error === undefined && (
        <>
          <table className={styles.periods}>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">Until</th>
                <th scope="col">Lasts</th>
              </tr>
            </thead>
            <tbody>
              {data.period.map(({ from, until, localFrom, localUntil }) => (
                <tr key={from}>
                  <td>{dayAndTime(localFrom)}</td>
                  <td>{dayAndTime(localUntil)}</td>
                  <td>{lengthOf(until - from)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          <p className={styles.zone}>
            {data.period.length === 0 ? 'No further periods. ' : ''}Times in {data.timeZoneId}
          </p>
        </>
      )}
    </section>
  )
}

const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'short', timeZone: 'UTC' })

/** `Sun 2026-03-29 00:00:00 +01:00` from what the service wrote. */
function dayAndTime(local: string): string {
  const [, date, time, offset] = /^(.{10})T(.*?)([+-][\d:]+)$/.exec(local) ?? []
  if (date === undefined) return local
  return `${weekday.format(new Date(`${date}T00:00:00Z`))} ${date} ${time} ${offset}`
}

const PARTS: ReadonlyArray<readonly [number, string]> = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
  [1, 'ms'],
]

function lengthOf(ms: number): string {
  let left = ms
  const words: string[] = []
  for (const [unitMs, word] of PARTS) {
    const count = Math.floor(left / unitMs)
    left -= count * unitMs
    if (count > 0) words.push(`${count} ${word}`)
  }
  return words.join(' ')
}
