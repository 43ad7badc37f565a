import { useState } from 'react'
import { call } from '../../api/client.ts'
import { useAct } from '../../api/use-act.ts'
import { useQuery } from '../../api/use-query.ts'
import { useAddress } from '../../app/place.ts'
import { Button } from '../../ui/button.tsx'
import { Field, FormAlert, TextArea } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { Moment } from '../../ui/time/moment.tsx'
import styles from './connect.module.css'
import { type Connector, type FailedRun, payloadKey, type WholePayload } from './connector-types.ts'
import { DryRunRows } from './dry-run-rows.tsx'
import type { StartingPoint } from './starting-points.ts'
import { type DryRun, type TypedCall, tryOut } from './try-out.ts'

interface TrySectionProps {
  /** The connector as the page shows it, saved or not. */
  readonly value: Connector
  readonly isSaved: boolean
  readonly example: StartingPoint | undefined
  readonly onFailed: (failed: FailedRun | undefined) => void
}

const METHODS = ['POST', 'PUT', 'GET', 'DELETE'].map((one) => ({ value: one, label: one }))
/** Longer bodies are shown up to here. */
const SHOWN_MAX = 20_000

/** What the statements would store of a payload that came, or of one that is typed. */
export function TrySection({ value, isSaved, example, onFailed }: TrySectionProps) {
  const { query, change } = useAddress()
  const chosen = value.uid === '' ? '' : (query.get('payload') ?? '')
  const { data, error } = useQuery(
    payloadKey(value.uid, 'one', chosen),
    (signal) =>
      call('get', '/api/connector/{uid}/payload/{payloadUid}', {
        path: { uid: value.uid, payloadUid: chosen },
        signal,
      }),
    { isOff: chosen === '' },
  )
  const payload = chosen === '' ? undefined : data?.payload
  const { method = 'POST', query: behind = '', body = '' } = example ?? {}
  const [typed, setTyped] = useState<TypedCall>({ method, query: behind, body: body ?? '' })
  const [found, setFound] = useState<DryRun>()
  const act = useAct()
  const run = () =>
    act.run(async () => {
      onFailed(undefined)
      setFound(undefined)
      try {
        setFound(await tryOut({ connector: value, isSaved, payload, typed }))
      } catch (thrown) {
        const failure = thrown as FailedRun['error']
        onFailed({ sqls: value.procs.map(({ sql }) => sql), error: failure })
        throw thrown
      }
    })
  return (
    <section className={styles.part} aria-labelledby="try-title">
      <h2 id="try-title">Test</h2>
      {chosen === '' ? (
        <TypedFields typed={typed} set={(more) => setTyped({ ...typed, ...more })} />
      ) : (
        <ChosenPayload
          payload={payload}
          error={error?.message}
          isTried={act.error !== undefined || found !== undefined}
          onLeave={() => change({ payload: undefined }, { step: true })}
          onTake={({ body: text, method: verb, query: rest }) => {
            setTyped({ method: verb, query: rest, body: text ?? '' })
            change({ payload: undefined }, { step: true })
          }}
        />
      )}
      <div className={styles.row}>
        <Button
          kind="primary"
          isBusy={act.isBusy}
          disabled={chosen !== '' && payload === undefined}
          onClick={() => void run()}
        >
          Dry run
        </Button>
        <span className={styles.soft}>Runs the SQL as shown here. Stores nothing.</span>
      </div>
      <FormAlert>{act.error?.message}</FormAlert>
      {found !== undefined && <DryRunRows of={found} />}
    </section>
  )
}

interface TypedFieldsProps {
  readonly typed: TypedCall
  readonly set: (more: Partial<TypedCall>) => void
}

function TypedFields({ typed, set }: TypedFieldsProps) {
  const hasBody = typed.method === 'POST' || typed.method === 'PUT'
  return (
    <div>
      <div className={styles.call}>
        <Select
          label="Method"
          choices={METHODS}
          value={typed.method}
          onChoose={(method) => set({ method })}
        />
        <Field
          label="Query string"
          value={typed.query}
          autoComplete="off"
          spellCheck={false}
          placeholder="id=7&temp=21.5"
          onChange={(event) => set({ query: event.currentTarget.value })}
        />
      </div>
      {hasBody && (
        <TextArea
          label="Body"
          className={styles.body}
          rows={8}
          spellCheck={false}
          value={typed.body}
          placeholder="Payload of the other system, such as JSON, CSV, or XML"
          onChange={(event) => set({ body: event.currentTarget.value })}
        />
      )}
    </div>
  )
}

interface ChosenPayloadProps {
  readonly payload: WholePayload | undefined
  readonly error: string | undefined
  /** Whether the result of the unsaved statements is shown. */
  readonly isTried: boolean
  readonly onLeave: () => void
  /** Takes it as a typed one, to change it. */
  readonly onTake: (payload: WholePayload) => void
}

function ChosenPayload(props: ChosenPayloadProps) {
  const { payload, error, isTried, onLeave, onTake } = props
  if (payload === undefined) {
    return (
      <div className={styles.row}>
        <p className={styles.soft}>{error ?? 'Loading …'}</p>
        <Button onClick={onLeave}>Use a new payload</Button>
      </div>
    )
  }
  const { time, method, query, body, size, status, message } = payload
  const text = body ?? ''
  const isCut = text.length > SHOWN_MAX
  return (
    <div className={styles.part}>
      <p className={styles.soft}>
        {method} of <Moment time={time} />, {size.toLocaleString()} bytes
        {query !== '' && (
          <>
            , query string <code>{query.slice(0, SHOWN_MAX)}</code>
          </>
        )}
      </p>
      {status === 'FAILED' && !isTried && (
        <p className={`${styles.soft} ${styles.failed}`}>{message}</p>
      )}
      {body !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre className={styles.code} tabIndex={0}>
          {text.slice(0, SHOWN_MAX)}
        </pre>
      )}
      {body === null && <p className={styles.soft}>No body.</p>}
      {isCut && (
        <p className={styles.soft}>
          Showing the first {SHOWN_MAX.toLocaleString()} of {text.length.toLocaleString()}{' '}
          characters. The dry run uses all of them.
        </p>
      )}
      <div className={styles.row}>
        {!isCut && <Button onClick={() => onTake(payload)}>Edit a copy</Button>}
        <Button onClick={onLeave}>Use a new payload</Button>
      </div>
    </div>
  )
}
