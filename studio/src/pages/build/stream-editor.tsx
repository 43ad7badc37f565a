import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Schema } from '../../api/paths.ts'
import { queries } from '../../api/query-cache.ts'
import { type RecordKinds, recordKey } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useAct } from '../../api/use-act.ts'
import { useQuery } from '../../api/use-query.ts'
import { navigate } from '../../app/place.ts'
import { useDraft } from '../../state/draft.ts'
import { ConfirmDelete } from '../../ui/confirm-delete.tsx'
import { showToast } from '../../ui/toast.tsx'
import { DerivationState } from './derive/derivation-state.tsx'
import { DeriveHistory } from './derive/derive-history.tsx'
import { StreamTree } from './derive/stream-tree.tsx'
import { EditorForm } from './editor-form.tsx'
import { StreamFields } from './fields/stream-fields.tsx'
import { WhatStops } from './fields/what-stops.tsx'
import { FilePanel } from './files/file-panel.tsx'
import { errorsOf, shownName } from './form.ts'
import { SeriesSection } from './series-section.tsx'
import type { StreamDraft } from './stream-draft.ts'

type Stream = Schema<'Stream'>

interface StreamEditorProps {
  readonly component: RecordKinds['component']
  readonly saved: Stream
  readonly isNew: boolean
}

/** The form of a stream: its draft, saving and deleting, and its files where it holds some. */
export function StreamEditor({ component, saved, isNew }: StreamEditorProps) {
  const isReader = useRole() === 'GUEST'
  const base = `/build/component/${component.uid}`
  const draft = useDraft(`stream/${component.uid}/${isNew ? '' : saved.uid}`, saved)
  const [isDeleting, setIsDeleting] = useState(false)
  const save = useAct()
  const saveNow = (isOver: boolean) =>
    save.run(async () => {
      const made = await saveStream(component.uid, isNew ? undefined : saved.uid, {
        ...(isNew ? { ...draft.value, uid: undefined, revision: undefined } : draft.changes),
        ...(isNew || isOver ? {} : { revision: draft.revision }),
      })
      draft.discard()
      showToast('Stream saved.')
      if (isNew) navigate(`${base}/stream/${made.uid}`, { replace: true })
    })
  const remove = async () => {
    const path = { componentUid: component.uid, uid: saved.uid }
    await call('delete', '/api/component/{componentUid}/stream/{uid}', { path })
    draft.discard()
    forget(component.uid, saved.uid)
    showToast('Stream deleted.')
    navigate(base)
  }
  const discard = () => {
    draft.discard()
    save.clear()
    queries.invalidate(['stream', component.uid])
  }
  const errorOf = errorsOf('stream', save.error)
  const name = shownName(saved).slice(0, 60)
  return (
    <>
      <EditorForm
        isNew={isNew}
        draft={draft}
        save={save}
        fixed={isReader ? '' : undefined}
        onSave={(isOver) => void saveNow(isOver)}
        onDiscard={discard}
        onDelete={() => {
          // Dependent records are counted again.
          queries.invalidate(['extent', component.uid])
          setIsDeleting(true)
        }}
      >
        <StreamFields
          value={draft.value as StreamDraft}
          isNew={isNew}
          place={{ componentUid: component.uid, timeZoneId: component.timeZoneId }}
          set={(changes) => draft.set(changes as Partial<Stream>)}
          errorOf={errorOf}
        />
      </EditorForm>
      {!isNew && saved.series !== undefined && (
        <SeriesSection
          componentUid={component.uid}
          uid={saved.uid}
          series={saved.series}
          mayDetach={!isReader}
          onDetached={({ revision }) => {
            // Detaching is a change of its own: what is typed stays, over it.
            if (draft.isChanged) draft.rebase(revision)
            forget(component.uid)
          }}
        />
      )}
      {!isNew && (
        <Around
          component={component}
          saved={saved}
          isChanged={draft.isChanged}
          mayDerive={!isReader}
        />
      )}
      {!isNew && saved.valueType === 'FILE' && (
        <FilePanel
          componentUid={component.uid}
          streamUid={saved.uid}
          timeZoneId={component.timeZoneId}
        />
      )}
      {isDeleting && (
        <ConfirmDelete
          what={`the stream “${name}”`}
          name={name}
          onDelete={remove}
          onClose={() => setIsDeleting(false)}
        >
          <StreamLoss componentUid={component.uid} uid={saved.uid} />
        </ConfirmDelete>
      )}
    </>
  )
}

interface AroundProps extends Pick<StreamEditorProps, 'component' | 'saved'> {
  readonly isChanged: boolean
  readonly mayDerive: boolean
}

/** The context of a saved stream: its dependencies and, for a derived stream, its state. */
function Around({ component, saved, isChanged, mayDerive }: AroundProps) {
  const of = { componentUid: component.uid, uid: saved.uid, zone: component.timeZoneId }
  const isDerived = saved.streamDerivationType === 'FROM_EXPRESSION'
  return (
    <>
      <StreamTree componentUid={component.uid} uid={saved.uid} />
      {isDerived && <DerivationState {...of} />}
      {isDerived && mayDerive && <DeriveHistory {...of} isChanged={isChanged} />}
    </>
  )
}

function StreamLoss({
  componentUid,
  uid,
}: {
  readonly componentUid: string
  readonly uid: string
}) {
  const { data, error } = useQuery(['extent', componentUid, uid], (signal) =>
    call('get', '/api/component/{componentUid}/stream/{uid}/extent', {
      path: { componentUid, uid },
      signal,
    }),
  )
  if (error !== undefined) return <p>{error.message}</p>
  if (data === undefined) return <p>Counting samples …</p>
  const { sampleCount } = data.extent
  return (
    <>
      <p>
        {sampleCount === 1 ? 'One sample is' : `${sampleCount.toLocaleString()} samples are`}{' '}
        deleted too, including files. This cannot be undone.
      </p>
      <WhatStops extent={data.extent} />
    </>
  )
}

function forget(componentUid: string, goneUid?: string): void {
  queries.invalidate(['stream', componentUid], goneUid)
  queries.invalidate(['extent', componentUid], goneUid)
  queries.invalidate(recordKey('component'))
}

async function saveStream(
  componentUid: string,
  uid: string | undefined,
  fields: object,
): Promise<Stream> {
  const body = { stream: fields }
  const { stream } =
    uid === undefined
      ? await call('put', '/api/component/{componentUid}/stream', { path: { componentUid }, body })
      : await call('post', '/api/component/{componentUid}/stream/{uid}', {
          path: { componentUid, uid },
          body,
        })
  forget(componentUid)
  return stream
}
