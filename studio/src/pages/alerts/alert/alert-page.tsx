import { useMemo, useState } from 'react'
import { getRecord, recordKey } from '../../../api/records.ts'
import { useRole } from '../../../api/session.ts'
import { useQuery } from '../../../api/use-query.ts'
import type { PageProps } from '../../../app/page-entry.ts'
import { useAddress } from '../../../app/place.ts'
import { SectionFrame } from '../../../app/section-frame.tsx'
import { useDraft } from '../../../state/draft.ts'
import { classes } from '../../../ui/classes.ts'
import { ConfirmDelete } from '../../../ui/confirm-delete.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { EditorForm } from '../../build/editor-form.tsx'
import { errorsOf } from '../../build/form.ts'
import { useRecordActs } from '../../build/use-record-acts.ts'
import styles from '../../connect/connect.module.css'
import { ALERTS } from '../alerts-section.ts'
import { AlertActs } from './alert-acts.tsx'
import { AlertFields } from './alert-fields.tsx'
import { AlertEvents, FiringStreams } from './alert-history.tsx'
import { AlertPreview } from './alert-preview.tsx'
import { type Alert, fieldsOf, nameOf, stateWords } from './alert-words.ts'
import { StateBadge } from './state-badge.tsx'
import { suggestedAlert } from './suggested-alert.ts'

const REFRESH_MS = 5_000

/** One alert; `new` in the place of its UID makes one. */
export function AlertPage({ params: { uid } }: PageProps) {
  return <OneAlert key={uid} uid={uid} />
}

function OneAlert({ uid }: { readonly uid: string }) {
  const isNew = uid === 'new'
  const { query } = useAddress()
  const { data, error } = useQuery(
    recordKey('alert', uid),
    (signal) => getRecord('alert', uid, signal),
    { keepPrevious: true, refreshMs: isNew ? undefined : REFRESH_MS },
  )
  const saved = useMemo(
    () => (data === undefined || !isNew ? data : { ...data, ...suggestedAlert(query) }),
    [data, isNew, query],
  )
  // Drafts of new alerts differ by what the address suggests.
  const draftKey = `alert/${isNew ? query : uid}`
  const title = isNew ? 'New alert' : saved === undefined ? 'Alert' : nameOf(saved)
  return (
    <SectionFrame section={ALERTS} title={title} here="/alerts">
      {saved === undefined && error !== undefined && <Empty text={error.message} />}
      {saved !== undefined && <AlertEditor key={draftKey} draftKey={draftKey} saved={saved} />}
    </SectionFrame>
  )
}

interface AlertEditorProps {
  readonly saved: Alert
  readonly draftKey: string
}

function AlertEditor({ saved, draftKey }: AlertEditorProps) {
  const isNew = saved.uid === ''
  const isGuest = useRole() === 'GUEST'
  const draft = useDraft(draftKey, saved)
  const [isDeleting, setIsDeleting] = useState(false)
  const about = { kind: 'alert', saved, draft, list: '/alerts', title: 'Alert' } as const
  const { save, saveFields, remove } = useRecordActs(about)
  const name = nameOf(saved).slice(0, 60)
  return (
    <div className={styles.halves}>
      {!isNew && (
        <div className={classes(styles.part, styles.whole)}>
          <p>
            <StateBadge state={saved.enabled ? saved.state : 'OK'} text={stateWords(saved)} />
          </p>
          {!isGuest && <AlertActs alert={saved} />}
          <FiringStreams uid={saved.uid} />
        </div>
      )}
      <div className={styles.half}>
        <EditorForm
          isNew={isNew}
          save={save}
          draft={draft}
          fixed={isGuest ? 'Read-only: guests cannot make changes.' : undefined}
          onSave={(isOver) => {
            void saveFields(fieldsOf(isNew ? draft.value : draft.changes), isOver)
          }}
          onDiscard={() => {
            draft.discard()
            save.clear()
          }}
          onDelete={() => setIsDeleting(true)}
        >
          <AlertFields
            value={draft.value}
            isNew={isNew}
            set={draft.set}
            errorOf={errorsOf('alert', save.error)}
          />
        </EditorForm>
      </div>
      <div className={styles.half}>
        {!isGuest && <AlertPreview value={draft.value} />}
        {!isNew && <AlertEvents uid={saved.uid} />}
      </div>
      {isDeleting && (
        <ConfirmDelete
          what={`the alert “${name}”`}
          name={name}
          onDelete={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>Its states and events are deleted, too.</p>
        </ConfirmDelete>
      )}
    </div>
  )
}
