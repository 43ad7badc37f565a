import { useMemo, useState } from 'react'
import { queries } from '../../api/query-cache.ts'
import { recordKey } from '../../api/records.ts'
import { usePerson, useRole } from '../../api/session.ts'
import { useDraft } from '../../state/draft.ts'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { EditorForm } from '../build/editor-form.tsx'
import { errorsOf } from '../build/form.ts'
import { useRecordActs } from '../build/use-record-acts.ts'
import styles from './connect.module.css'
import { ConnectorFields } from './connector-fields.tsx'
import type { Connector, FailedRun } from './connector-types.ts'
import { ImportFields } from './import/import-fields.tsx'
import { ImportRuns } from './import/import-runs.tsx'
import { Payloads } from './payloads.tsx'
import { SinkSection } from './sink-section.tsx'
import { SqlEditor } from './sql-editor.tsx'
import { startingPoints } from './starting-points.ts'
import { storesNothing } from './stores-nothing.ts'
import { TrySection } from './try-section.tsx'

/** The statements of a connector, what it is called with, and trying one on the other. */
export function ConnectorEditor({ saved }: { readonly saved: Connector }) {
  const isNew = saved.uid === ''
  const isImport = saved.connType === 'DB_IMPORT'
  const isGuest = useRole() === 'GUEST'
  const { draft, save, saveNow, remove } = useEdited(saved)
  const [failed, setFailed] = useState<FailedRun>()
  const [isDeleting, setIsDeleting] = useState(false)
  const { value } = draft
  const errorOf = errorsOf('connector', save.error)
  const setSql = (at: number, sql: string) =>
    draft.set({ procs: value.procs.map((proc, each) => (each === at ? { ...proc, sql } : proc)) })
  const isIdle = storesNothing(value.procs.map(({ sql }) => sql))
  const example = startingPoints.find(({ sql }) => sql === value.procs[0]?.sql)
  const name = (saved.name || saved.id).slice(0, 60)
  const fixed = isGuest ? 'Read-only: guests cannot make changes.' : undefined
  return (
    <div className={styles.halves}>
      <EditorForm
        isNew={isNew}
        draft={draft}
        save={save}
        fixed={fixed}
        onSave={(isOver) => void saveNow(isOver)}
        onDiscard={() => {
          draft.discard()
          save.clear()
          queries.invalidate(recordKey('connector', saved.uid))
        }}
        onDelete={() => setIsDeleting(true)}
      >
        <ConnectorFields value={value} isNew={isNew} set={draft.set} errorOf={errorOf} />
        {isImport && (
          <ImportFields
            value={value}
            isNew={isNew}
            errorOf={errorOf}
            set={draft.set}
            isReadOnly={isGuest}
            isScheduleSaved={
              !isNew && !('schedule' in draft.changes || 'isEnabled' in draft.changes)
            }
          />
        )}
        {value.procs.map(({ sql, timeZoneId }, at) => (
          <SqlEditor
            // biome-ignore lint/suspicious/noArrayIndexKey: statements have no name but their place.
            key={at}
            label={value.procs.length === 1 ? 'SQL' : `SQL ${at + 1}`}
            value={sql}
            zone={timeZoneId}
            failed={failed}
            isIdle={isIdle}
            at={at}
            error={errorOf(`procs[${at}].sql`)}
            isReadOnly={isGuest}
            onChange={(text) => setSql(at, text)}
          />
        ))}
      </EditorForm>
      <div className={styles.half}>
        {!isNew && !isImport && <SinkSection connector={saved} example={example} />}
        {!isNew && isImport && <ImportRuns connector={saved} isChanged={draft.isChanged} />}
        {!isNew && !isImport && <Payloads connector={saved} isChanged={draft.isChanged} />}
        {!isGuest && !isImport && (
          <TrySection
            key={example?.id ?? 'own'}
            value={value}
            example={example}
            isSaved={!isNew && draft.changes.procs === undefined}
            onFailed={setFailed}
          />
        )}
      </div>
      {isDeleting && (
        <ConfirmDelete
          what={`the connector “${name}”`}
          name={name}
          onDelete={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>Its received payloads are deleted too, and its URL stops working. Samples stay.</p>
        </ConfirmDelete>
      )}
    </div>
  )
}

/** The draft of a connector, its saving and deleting; one that is made runs as who makes it. */
function useEdited(saved: Connector) {
  const { userUid: uid, userFirstName: name } = usePerson()
  const begun = useMemo(
    () => (saved.runningUser.uid === '' ? { ...saved, runningUser: { uid, name } } : saved),
    [saved, uid, name],
  )
  const draft = useDraft(`connector/${saved.uid}/${saved.connType}`, begun)
  const about = { kind: 'connector', saved, draft, list: '/connect', title: 'Connector' } as const
  const { save, saveFields, remove } = useRecordActs(about)
  const saveNow = (isOver: boolean) => {
    const { uid: _, revision: __, sinkUrl: ___, nextRun: ____, ...whole } = draft.value
    // Without a name it is called as its ID.
    const named = { ...whole, name: whole.name || undefined }
    return saveFields(saved.uid === '' ? named : draft.changes, isOver)
  }
  return { draft, save, saveNow, remove }
}
