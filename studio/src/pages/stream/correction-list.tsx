import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Schema } from '../../api/paths.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import { zonedRangeText } from '../../ui/time/moment-text.ts'
import { showToast } from '../../ui/toast.tsx'
import styles from './correction.module.css'
import { changedText, listCorrections, samplesText, undoToEnd, wordsOf } from './correction.ts'

type Job = Schema<'Job'>

const REFRESH_MS = 10_000
const RUNNING_REFRESH_MS = 500

interface CorrectionListProps {
  readonly found: FoundStream
  readonly zone: string
  readonly onChanged: () => void
}

/** Has the list of corrections read again. */
export function noteCorrection(found: FoundStream): void {
  invalidate('corrections', found.streamUid)
}

/** Reports a correction that has ended, with a button to undo it. */
export function reportCorrection(found: FoundStream, job: Job, onChanged: () => void): void {
  const { correction } = job
  if (correction === undefined) return
  const undo = async () => {
    try {
      showToast(await undoToEnd(found, job.uid))
    } catch (thrown) {
      showToast(asApiError(thrown).message)
    }
    noteCorrection(found)
    onChanged()
  }
  const act = { label: 'Undo', onClick: () => void undo() }
  showToast(changedText(correction), correction.undoUntil === null ? undefined : act)
}

/** The corrections of a stream that can be undone. */
export function CorrectionList({ found, zone, onChanged }: CorrectionListProps) {
  const { data = [] } = useQuery(
    ['corrections', found.streamUid],
    (signal) => listCorrections(found, signal),
    {
      refreshMs: (jobs) =>
        jobs?.some(({ status }) => status === 'RUNNING') ? RUNNING_REFRESH_MS : REFRESH_MS,
    },
  )
  const [undoing, setUndoing] = useState<string>()
  const [message, setMessage] = useState<string>()
  const [error, setError] = useState<string>()
  const now = Date.now()
  const listed = data.filter(({ status, correction }) => {
    return status === 'RUNNING' || (correction?.undoUntil ?? 0) > now
  })
  if (listed.length === 0 && message === undefined) return null
  const undo = async (uid: string) => {
    setUndoing(uid)
    setError(undefined)
    try {
      setMessage(await undoToEnd(found, uid))
    } catch (thrown) {
      setError(asApiError(thrown).message)
    }
    noteCorrection(found)
    onChanged()
    setUndoing(undefined)
  }
  return (
    <section aria-label="Corrections" className={styles.list}>
      <h3>Corrections</h3>
      <p role="status" className={styles.count}>
        {message}
      </p>
      <FormAlert>{error}</FormAlert>
      <ul>
        {listed.map((job) => (
          <li key={job.uid}>
            <span>
              {describe(job, zone)}
              <span className={styles.made}>
                Corrected <Moment time={job.start} zone={zone} />
              </span>
            </span>
            <Button
              kind="plain"
              isBusy={undoing === job.uid}
              disabled={job.status === 'RUNNING'}
              onClick={() => undo(job.uid)}
            >
              {job.status === 'RUNNING' ? 'Running …' : 'Undo'}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}

function describe({ correction, from, until }: Job, zone: string): string {
  if (correction === undefined) return ''
  const range = zonedRangeText(zone, from, until)
  return `${wordsOf(correction)}, ${samplesText(correction.sampleCount)}: ${range}`
}
