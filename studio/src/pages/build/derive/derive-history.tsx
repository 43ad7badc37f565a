import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { queries } from '../../../api/query-cache.ts'
import { useAct } from '../../../api/use-act.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Button } from '../../../ui/button.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { isInput, readInput } from '../../../ui/time/input-time.ts'
import { Moment } from '../../../ui/time/moment.tsx'
import { TimeField } from '../../../ui/time/time-field.tsx'
import styles from './derive.module.css'

type Job = Schema<'Job'>

/** How often a job is read that may begin, and one that runs. */
const REFRESH_MS = 5_000
const RUNNING_REFRESH_MS = 500

interface DeriveHistoryProps {
  readonly componentUid: string
  readonly uid: string
  readonly zone: string
  /** Whether the form has changes that are not saved: history is derived by what is. */
  readonly isChanged: boolean
}

/** Derives a stream over its history, all of it or a range, with how far that is. */
export function DeriveHistory(props: DeriveHistoryProps) {
  const { componentUid, uid, zone, isChanged } = props
  const [from, setFrom] = useState('')
  const [until, setUntil] = useState('')
  const job = useJob(uid)
  const act = useAct()
  const isRunning = job?.status === 'RUNNING'
  const start = () =>
    act.run(async () => {
      await call('post', '/api/component/{componentUid}/stream/{uid}/derive', {
        path: { componentUid, uid },
        body: { ...timeIn('from', zone, from), ...timeIn('until', zone, until) },
      })
      queries.invalidate(['job', uid])
    })
  const cancel = () =>
    act.run(async () => {
      if (job !== undefined) await call('delete', '/api/job/{uid}', { path: { uid: job.uid } })
      queries.invalidate(['job', uid])
    })
  const isReadable = [from, until].every((text) => text === '' || isInput(text))
  return (
    <section className={styles.panel} aria-label="Recalculate history">
      <h2>Recalculate history</h2>
      <p className={styles.note}>
        Calculates results for samples that the sources already had when the formula was saved.
        Replaces all samples of this stream in the range.
      </p>
      <div className={styles.range}>
        <TimeField
          label="From"
          hint="Leave blank to start with the first sample"
          value={from}
          error={act.errorAt('from')}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TimeField
          label="Until (exclusive)"
          hint={`Leave blank to end with the latest sample. Times in ${zone}`}
          value={until}
          error={act.errorAt('until')}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
      </div>
      <FormAlert>{act.errorBeside('from', 'until')}</FormAlert>
      {isChanged && <p className={styles.note}>Save first. The saved formula is used.</p>}
      <div className={styles.tools}>
        <Button
          isBusy={act.isBusy}
          disabled={isChanged || isRunning || !isReadable}
          onClick={() => void start()}
        >
          Recalculate
        </Button>
        {isRunning && <Button onClick={() => void cancel()}>Cancel</Button>}
      </div>
      {job !== undefined && <Progress job={job} zone={zone} />}
    </section>
  )
}

/** A field of the range, where it is filled in. */
function timeIn(
  name: 'from' | 'until',
  zone: string,
  text: string,
): Partial<Record<string, number>> {
  const at = text === '' ? Number.NaN : readInput(zone, text)
  return Number.isNaN(at) ? {} : { [name]: at }
}

/** The latest job of a stream; looked at again and again while it runs. */
function useJob(streamUid: string): Job | undefined {
  const key = ['job', streamUid]
  const known = queries.peek<Job | null>(key).data
  const { data } = useQuery<Job | null>(
    key,
    async (signal) => {
      const { job } = await call('get', '/api/job', { signal })
      const found = job.find((one) => one.streamUid === streamUid) ?? null
      // What it has derived is seen in the figures above.
      if (known?.status === 'RUNNING' && found?.status !== 'RUNNING') {
        queries.invalidate(['stream', found?.componentUid ?? '', 'state'])
      }
      return found
    },
    { refreshMs: (job) => (job?.status === 'RUNNING' ? RUNNING_REFRESH_MS : REFRESH_MS) },
  )
  return data ?? undefined
}

const WORDS: Readonly<Record<Job['status'], string>> = {
  RUNNING: 'Running',
  DONE: 'Done',
  FAILED: 'Failed',
  CANCELLED: 'Canceled. Results stored so far stay',
}

function Progress({ job, zone }: { readonly job: Job; readonly zone: string }) {
  const { status, done, total, message, start, end } = job
  const part = total === 0 ? 0 : Math.floor((100 * done) / total)
  if (status === 'RUNNING') {
    return (
      <div className={styles.progress}>
        <progress aria-label="Recalculating" max={100} value={total === 0 ? undefined : part} />
        <span>{total === 0 ? 'Queued' : `${part} % of the range`}</span>
      </div>
    )
  }
  return (
    <p className={status === 'FAILED' ? styles.failed : styles.note}>
      {WORDS[status]}
      {message === '' ? '' : `: ${message}`} · started <Moment time={start} zone={zone} />
      {end !== null && (
        <>
          , ended <Moment time={end} zone={zone} />
        </>
      )}
    </p>
  )
}
