import { useState } from 'react'
import { getRecord, recordKey } from '../../../api/records.ts'
import { useRole } from '../../../api/session.ts'
import { useQuery } from '../../../api/use-query.ts'
import type { PageProps } from '../../../app/page-entry.ts'
import { SectionFrame } from '../../../app/section-frame.tsx'
import { useDraft } from '../../../state/draft.ts'
import { ConfirmDelete } from '../../../ui/confirm-delete.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { EditorForm } from '../../build/editor-form.tsx'
import { errorsOf } from '../../build/form.ts'
import { useRecordActs } from '../../build/use-record-acts.ts'
import styles from '../connect.module.css'
import { CONNECT } from '../connect-section.ts'
import { ConnectionFields } from './connection-fields.tsx'
import { ConnectionTest } from './connection-test.tsx'
import { type Connection, nameOf } from './connection-words.ts'

/** One connection; `new` in the place of its UID makes one. */
export function ConnectionPage({ params: { uid } }: PageProps) {
  return <OneConnection key={uid} uid={uid} />
}

function OneConnection({ uid }: { readonly uid: string }) {
  const { data, error } = useQuery(recordKey('connection', uid), (signal) =>
    getRecord('connection', uid, signal),
  )
  const title = uid === 'new' ? 'New connection' : data === undefined ? 'Connection' : nameOf(data)
  return (
    <SectionFrame section={CONNECT} title={title} here="/connect/connections">
      {data === undefined && error !== undefined && <Empty text={error.message} />}
      {data !== undefined && <ConnectionEditor saved={data} />}
    </SectionFrame>
  )
}

function ConnectionEditor({ saved }: { readonly saved: Connection }) {
  const isNew = saved.uid === ''
  const isGuest = useRole() === 'GUEST'
  const draft = useDraft(`connection/${saved.uid}`, saved)
  // Not in the draft, which is kept in the tab: a password is in this page's memory only.
  const [password, setPassword] = useState('')
  const [isDeleting, setIsDeleting] = useState(false)
  const list = '/connect/connections'
  const about = { kind: 'connection', saved, draft, list, title: 'Connection' } as const
  const { save, saveFields, remove } = useRecordActs(about)
  const saveNow = (isOver: boolean) => {
    const { uid: _, revision: __, hasPassword: ___, ...whole } = draft.value
    const given = password === '' ? {} : { password }
    const fields = { ...(isNew ? whole : draft.changes), ...given }
    return saveFields(fields, isOver, () => setPassword(''))
  }
  const isChanged = draft.isChanged || password !== ''
  const name = nameOf(saved).slice(0, 60)
  return (
    <div className={`${styles.half} ${styles.narrow}`}>
      <EditorForm
        isNew={isNew}
        save={save}
        draft={{ isChanged }}
        fixed={isGuest ? 'Read-only: guests cannot make changes.' : undefined}
        onSave={(isOver) => void saveNow(isOver)}
        onDiscard={() => {
          draft.discard()
          setPassword('')
          save.clear()
        }}
        onDelete={() => setIsDeleting(true)}
      >
        <ConnectionFields
          value={draft.value}
          isNew={isNew}
          set={draft.set}
          errorOf={errorsOf('connection', save.error)}
          password={password}
          setPassword={setPassword}
        />
      </EditorForm>
      {!isNew && !isGuest && <ConnectionTest uid={saved.uid} isChanged={isChanged} />}
      {isDeleting && (
        <ConfirmDelete
          what={`the connection “${name}”`}
          name={name}
          onDelete={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>
            Its password is deleted too. You cannot delete a connection while an import uses it.
          </p>
        </ConfirmDelete>
      )}
    </div>
  )
}
