import { useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import type { Schema } from '../../api/paths.ts'
import { invalidate, useQuery } from '../../api/use-query.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { Button } from '../../ui/button.tsx'
import { FormAlert } from '../../ui/field.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import styles from './correction.module.css'
import { followJob, listCorrections, samplesText, undoCorrection, wordsOf } from './correction.ts'

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
      const begun = await undoCorrection(found, uid)
      const { status, message: reason, correction } = await followJob(begun.uid, () => {})
      if (status === 'FAILED') setError(reason)
      else setMessage(undoneText(correction?.leftCount ?? 0))
      noteCorrection(found)
      onChanged()
    } catch (thrown) {
      setError(asApiError(thrown).message)
    }
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
              {describe(job)}, <Moment time={job.start} zone={zone} />
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

function describe({ correction }: Job): string {
  if (correction === undefined) return ''
  return `${wordsOf(correction)}, ${samplesText(correction.sampleCount)}`
}

function undoneText(leftCount: number): string {
  if (leftCount === 0) return 'The samples are as they were.'
  return `The samples are as they were, except ${samplesText(leftCount)} that came again since.`
}
