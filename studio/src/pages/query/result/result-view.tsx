import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { FormAlert } from '../../../ui/field.tsx'
import { countText, secondsText } from '../../../ui/figure-text.ts'
import { type GqlAnswer, withoutPlace } from '../gql-answer.ts'
import type { EndedRun } from '../use-run.ts'
import styles from './result.module.css'
import { ResultTable } from './result-table.tsx'

interface ResultViewProps {
  readonly ended: EndedRun
  readonly isRunning: boolean
  readonly zone: string
  /** Goes to the place that an error names. */
  readonly onGoTo: (line: number, column: number) => void
  /** Stores what was tried; undefined for who may not. */
  readonly onStore: (() => void) | undefined
  /** Runs the text again without a limit; undefined where the service has returned all that it can. */
  readonly onAll: (() => void) | undefined
  /** What can be done with the rows. */
  readonly actions: ReactNode
  /** What is shown in place of the table. */
  readonly picture: ReactNode | undefined
}

/** What came of a run: how long it took, its rows, and the samples of its INSERTs. */
export function ResultView(props: ResultViewProps) {
  const { ended, isRunning, zone, onGoTo, onStore, onAll, actions, picture } = props
  const { answer, error, call } = ended
  const place = error?.place
  return (
    <section className={styles.result} aria-label="Result" aria-busy={isRunning}>
      <div className={styles.bar}>
        <p className={styles.line} role="status">
          {lineOf(ended)}
        </p>
        {answer !== undefined && answer.cols.length > 0 && actions}
      </div>
      <FormAlert>
        {error !== undefined && withoutPlace(error.message)}
        {place !== undefined && (
          <>
            <code className={styles.pointer}>{place.pointer}</code>
            <Button onClick={() => onGoTo(place.line, place.column)}>
              Line {place.line}, column {place.column}
            </Button>
          </>
        )}
      </FormAlert>
      {answer !== undefined && (
        <Inserted answer={answer} call={call} zone={zone} onStore={onStore} />
      )}
      {answer !== undefined && answer.cols.length > 0 && (
        <>
          {answer.more === true && (
            <p className={styles.note}>
              Showing the first {countText(answer.rows.length)} rows.{' '}
              {onAll !== undefined && <Button onClick={onAll}>Show all rows</Button>}
            </p>
          )}
          {picture ?? (
            <ResultTable label="Rows" columns={answer.cols} rows={answer.rows} zone={zone} />
          )}
        </>
      )}
    </section>
  )
}

function lineOf({ answer, error, isStopped, tookMs, call }: EndedRun): string {
  const took = secondsText(Math.max(1, Math.round(tookMs)) / 1_000)
  if (isStopped) return `Stopped after ${took}.`
  if (error !== undefined || answer === undefined) return `Failed after ${took}.`
  const { rows, more, cols, sampleCount = 0 } = answer
  const count = `${countText(rows.length)}${more === true ? ' and more' : ''}`
  const found = cols.length === 0 ? '' : `${count} ${rows.length === 1 && !more ? 'row' : 'rows'}`
  const samples = `${countText(sampleCount)} ${sampleCount === 1 ? 'sample' : 'samples'}`
  const stored = call.kind === 'store' ? `${samples} stored` : `${samples} to store`
  const parts = [found, ...(sampleCount > 0 ? [stored] : [])].filter(Boolean)
  return `${parts.join(', ') || 'No rows'} in ${took}.`
}

interface InsertedProps {
  readonly answer: GqlAnswer
  readonly call: EndedRun['call']
  readonly zone: string
  readonly onStore: (() => void) | undefined
}

const SAMPLE_COLUMNS = [
  ...['CID', 'ID'].map((name) => ({ name, valueType: 'STRING' })),
  { name: 'TIME', valueType: 'LONG' },
  { name: 'SAMPLE', valueType: '' },
]

/** The samples of INSERTs: what they would store, until somebody says that it shall be. */
function Inserted({ answer, call, zone, onStore }: InsertedProps) {
  const { samples = [], sampleCount = 0, message } = answer
  if (sampleCount === 0 && message === '') return null
  return (
    <div className={styles.inserted}>
      {message !== '' && <p className={styles.note}>{message}</p>}
      {sampleCount > 0 && call.kind === 'try' && (
        <>
          <p className={styles.bar}>
            <span>Preview. Nothing is stored yet.</span>
            {onStore !== undefined && (
              <Button kind="primary" onClick={onStore}>
                Store {sampleCount === 1 ? 'this sample' : `${countText(sampleCount)} samples`}
              </Button>
            )}
          </p>
          {samples.length < sampleCount && (
            <p className={styles.note}>The first {countText(samples.length)} samples:</p>
          )}
          <ResultTable
            label="Samples to store"
            columns={SAMPLE_COLUMNS}
            rows={samples.map(({ cid, id, time, sample }) => [cid, id, time, sample])}
            zone={zone}
          />
        </>
      )}
    </div>
  )
}
