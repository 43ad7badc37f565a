import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { RecordKinds } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { Breadcrumbs } from '../../app/breadcrumbs.tsx'
import { readFragment, useAddress } from '../../app/place.ts'
import { useDraft } from '../../state/draft.ts'
import { Button } from '../../ui/button.tsx'
import type { EditorHandle } from '../../ui/editor/editor-types.ts'
import { Empty } from '../../ui/empty.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { browserZone } from '../../ui/time/zone-time.ts'
import { ROWS_ALL } from './gql-answer.ts'
import { InsertPanel } from './insert/insert-panel.tsx'
import styles from './query.module.css'
import { QueryActions } from './query-actions.tsx'
import { QueryRangeField, useQueryRange } from './query-range.tsx'
import { ResultActions } from './result/result-actions.tsx'
import { ResultChart } from './result/result-chart.tsx'
import { ResultView } from './result/result-view.tsx'
import { RowLimit, rowsIn } from './row-limit.tsx'
import { RunHistory, useNoteRun } from './run-history.tsx'
import { SavedList } from './saved-list.tsx'
import { SqlEditor } from './sql-editor.tsx'
import { useFirstRun } from './use-first-run.ts'
import { useRun } from './use-run.ts'
import { useSharedText } from './use-shared-text.ts'
import { VariableHelp } from './variable-help.tsx'

/** A query on the desk: its text, what can be written, and what came of its run. */
export function QueryDesk({ saved }: { readonly saved: RecordKinds['query'] }) {
  const isReader = useRole() === 'GUEST'
  const draft = useDraft(`query/${saved.uid || 'new'}`, saved)
  const { sql, timeZoneId } = draft.value
  useSharedText(sql, saved.sql, draft)
  const zone = timeZoneId || browserZone()
  const editor = useRef<EditorHandle>(null)
  const { ended, isRunning, start, stop } = useRun()
  const { query, change } = useAddress()
  const isChart = query.get('show') === 'chart'
  const setSql = (next: string) => {
    if (next === saved.sql && Object.keys(draft.changes).length <= 1) draft.discard()
    else draft.set({ sql: next })
  }
  const { word, rangeOf } = useQueryRange(zone)
  const noteRun = useNoteRun()
  const rowsMax = rowsIn(query)
  const runNow = (text: string, { chosen = word, limit = rowsMax } = {}) => {
    const range = rangeOf(text, chosen)
    editor.current?.closeSuggestions()
    if (text.trim() === '') return
    noteRun(text)
    start({ sql: text, zone, range, rowsMax: limit, kind: isReader ? 'read' : 'try' })
  }
  const isAsSaved = saved.uid !== '' && !draft.isChanged && readFragment() === ''
  useFirstRun(isAsSaved, () => runNow(saved.sql))
  const failed = useMemo(() => ended?.error && { sql: ended.call.sql, error: ended.error }, [ended])
  const insert = (text: string, whole?: string) =>
    editor.current?.insert(sql.trim() === '' ? (whole ?? text) : text)
  const title = saved.uid === '' ? 'Query' : saved.name || saved.id || 'Query'
  return (
    <PageFrame
      title={title}
      above={saved.uid === '' ? undefined : <Breadcrumbs of={[{ to: '/query', label: 'Query' }]} />}
      actions={<QueryActions saved={saved} draft={draft} isReader={isReader} isChart={isChart} />}
    >
      <div className={styles.desk}>
        <SidePanel>
          <SavedList shown={saved.uid} />
          <RunHistory onChoose={setSql} />
          <InsertPanel onInsert={insert} />
        </SidePanel>
        <div className={styles.work}>
          <SqlEditor
            ref={editor}
            value={sql}
            onChange={setSql}
            onRun={(text) => runNow(text)}
            zone={zone}
            failed={failed}
          />
          <div className={styles.tools}>
            {isRunning ? (
              <Button kind="danger" icon="close" onClick={stop}>
                Stop
              </Button>
            ) : (
              <Button kind="primary" disabled={sql.trim() === ''} onClick={() => runNow(sql)}>
                Run
              </Button>
            )}
            <QueryRangeField
              sql={sql}
              word={word}
              onChange={(chosen) => ended !== undefined && runNow(sql, { chosen })}
            />
            <RowLimit
              rowsMax={rowsMax}
              onChange={(limit) => ended !== undefined && runNow(sql, { limit })}
            />
            <VariableHelp onInsert={(text) => setSql(`${text}${sql}`)} />
            <span className={styles.zone}>Times in {zone}</span>
          </div>
          {ended === undefined && isRunning && (
            <p className={styles.soft} role="status">
              Running …
            </p>
          )}
          {ended === undefined && !isRunning && sql.trim() === '' && (
            <Empty text="Choose a table or a stream to start from, or write a query. INSERT shows a preview first and stores nothing until you confirm." />
          )}
          {ended !== undefined && (
            <ResultView
              ended={ended}
              isRunning={isRunning}
              zone={zone}
              onGoTo={(line, column) => editor.current?.goTo(line, column)}
              onAll={
                ended.call.rowsMax === ROWS_ALL
                  ? undefined
                  : () => start({ ...ended.call, rowsMax: ROWS_ALL })
              }
              onStore={isReader ? undefined : () => start({ ...ended.call, kind: 'store' })}
              actions={
                <ResultActions
                  call={ended.call}
                  title={title}
                  isEmpty={ended.answer?.rows.length === 0}
                  isChart={isChart}
                  onChart={(next) => change({ show: next ? 'chart' : undefined })}
                />
              }
              picture={
                isChart && ended.answer !== undefined ? (
                  <div className={styles.chart}>
                    <ResultChart label={`Chart of ${title}`} answer={ended.answer} zone={zone} />
                  </div>
                ) : undefined
              }
            />
          )}
        </div>
      </div>
    </PageFrame>
  )
}

/** What stands beside the text; folded where there is no room for both. */
function SidePanel({ children }: { readonly children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(() => matchMedia('(min-width: 900px)').matches)
  return (
    <details
      className={styles.side}
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>Saved queries, tables, streams</summary>
      <div className={styles.sideBody}>{children}</div>
    </details>
  )
}
