import { useState } from 'react'
import { getRecord, recordKey } from '../../../api/records.ts'
import { useRole } from '../../../api/session.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import type { PageProps } from '../../../app/page-entry.ts'
import { useAddress } from '../../../app/place.ts'
import { SectionFrame } from '../../../app/section-frame.tsx'
import { useDraft } from '../../../state/draft.ts'
import { ConfirmDelete } from '../../../ui/confirm-delete.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { EditorForm } from '../../build/editor-form.tsx'
import { errorsOf } from '../../build/form.ts'
import { useRecordActs } from '../../build/use-record-acts.ts'
import styles from '../../connect/connect.module.css'
import { ALERTS } from '../alerts-section.ts'
import { alertIn } from '../new-channel-path.ts'
import { Attempts } from './attempts.tsx'
import { ChannelFields, type Secrets } from './channel-fields.tsx'
import { ChannelTest } from './channel-test.tsx'
import type { Channel } from './channel-words.ts'

/** One channel; `new` in the place of its UID makes one. */
export function ChannelPage({ params: { uid } }: PageProps) {
  return <OneChannel key={uid} uid={uid} />
}

function OneChannel({ uid }: { readonly uid: string }) {
  const { data, error } = useQuery(recordKey('channel', uid), (signal) =>
    getRecord('channel', uid, signal),
  )
  const alert = alertIn(useAddress().query)
  const title = uid === 'new' ? 'New channel' : (data?.name ?? 'Channel')
  return (
    <SectionFrame section={ALERTS} title={title} here="/alerts/channels">
      {data === undefined && error !== undefined && <Empty text={error.message} />}
      {alert !== undefined && (
        <p>
          <Link to={alert}>Back to the alert</Link>
        </p>
      )}
      {data !== undefined && <ChannelEditor saved={data} />}
    </SectionFrame>
  )
}

const NO_SECRETS: Secrets = { url: '', token: '', secret: '' }

/** The fields to save: of a record that leads elsewhere, those that it has no longer are left out. */
function fieldsOf(value: Partial<Channel>, kind: Channel['kind']): object {
  const { uid: _, revision: __, origin: ___, hasToken, hasSecret, emails, ...rest } = value
  if (kind !== 'EMAIL') return rest
  const { recipient: ____, preset: _____, ...others } = rest
  const given = emails?.map((email) => email.trim()).filter((email) => email !== '')
  return given === undefined ? others : { ...others, emails: given }
}

function ChannelEditor({ saved }: { readonly saved: Channel }) {
  const isNew = saved.uid === ''
  const isGuest = useRole() === 'GUEST'
  const draft = useDraft(`channel/${saved.uid}`, saved)
  // Not in the draft, which is kept in the tab: secrets are in this page's memory only.
  const [secrets, setSecrets] = useState(NO_SECRETS)
  const [isDeleting, setIsDeleting] = useState(false)
  const about = {
    kind: 'channel',
    saved,
    draft,
    list: '/alerts/channels',
    title: 'Channel',
    search: isNew ? location.search : '',
  } as const
  const { save, saveFields, remove } = useRecordActs(about)
  const saveNow = (isOver: boolean) => {
    const { kind } = draft.value
    const entered = Object.entries(secrets).filter(([, text]) => text !== '')
    const given = kind === 'EMAIL' ? {} : Object.fromEntries(entered)
    const fields = { ...fieldsOf(isNew ? draft.value : draft.changes, kind), ...given }
    return saveFields(fields, isOver, () => setSecrets(NO_SECRETS))
  }
  const isChanged = draft.isChanged || Object.values(secrets).some((text) => text !== '')
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
          setSecrets(NO_SECRETS)
          save.clear()
        }}
        onDelete={() => setIsDeleting(true)}
      >
        <ChannelFields
          value={draft.value}
          isNew={isNew}
          set={draft.set}
          errorOf={errorsOf('channel', save.error)}
          secrets={secrets}
          setSecrets={(more) => setSecrets((before) => ({ ...before, ...more }))}
        />
      </EditorForm>
      {!isNew && !isGuest && <ChannelTest uid={saved.uid} isChanged={isChanged} />}
      {!isNew && <Attempts uid={saved.uid} />}
      {isDeleting && (
        <ConfirmDelete
          what={`the channel “${saved.name.slice(0, 60)}”`}
          name={saved.name.slice(0, 60)}
          onDelete={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>Its secrets and the notices that wait are deleted, too.</p>
        </ConfirmDelete>
      )}
    </div>
  )
}
