import { useState } from 'react'
import type { Schema } from '../../../api/paths.ts'
import { ComponentSearch } from '../../../app/component-search.tsx'
import { Button } from '../../../ui/button.tsx'
import { Select } from '../../../ui/select.tsx'
import { shownName } from '../form.ts'
import type { DerivePlace, SourceChoice, VariableDraft } from './derivation-draft.ts'
import styles from './derive.module.css'
import { useStreamsOf } from './use-sources.ts'

/** The choice that leads to the other components. */
const OTHER_COMPONENT = '/'

type Source = Pick<VariableDraft, 'componentId' | 'componentUid' | 'streamId' | 'streamUid'>

interface SourceFieldProps {
  readonly variable: VariableDraft
  readonly place: DerivePlace
  readonly sources: readonly SourceChoice[]
  readonly error: string | undefined
  readonly onPick: (source: Source) => void
}

/** Chooses what a variable reads: a stream beside the derived one, or one of any other component. */
export function SourceField(props: SourceFieldProps) {
  const { variable, place, sources, error, onPick } = props
  const [isOtherComponent, setIsOtherComponent] = useState(false)
  const isNamedById = place.beside !== undefined
  const keyOf = ({ uid, id }: SourceChoice) => (isNamedById ? id : uid)
  const isOwn = variable.componentUid === ''
  const chosen = isOwn ? (isNamedById ? variable.streamId : variable.streamUid) : variable.streamUid
  const own = sources
    .filter((one) => keyOf(one) !== '')
    .map((one) => ({ value: keyOf(one), label: shownName(one).slice(0, 80) }))
  const isKnown = chosen === '' || (isOwn && own.some(({ value }) => value === chosen))
  const kept = isKnown ? [] : [{ value: chosen, label: keptWords(variable) }]
  const others =
    place.isTemplate === true ? [] : [{ value: OTHER_COMPONENT, label: 'Another component …' }]
  const pickOwn = (key: string) => {
    const named = isNamedById ? { streamId: key, streamUid: '' } : { streamId: '', streamUid: key }
    onPick({ componentId: '', componentUid: '', ...named })
  }
  return (
    <>
      <Select
        label="Stream"
        value={isOtherComponent ? OTHER_COMPONENT : chosen}
        error={error}
        choices={[{ value: '', label: 'Choose' }, ...kept, ...own, ...others]}
        onChoose={(key) => {
          setIsOtherComponent(key === OTHER_COMPONENT)
          if (key !== OTHER_COMPONENT && (isOwn || key !== chosen)) pickOwn(key)
        }}
      />
      {isOtherComponent && (
        <Elsewhere
          onClose={() => setIsOtherComponent(false)}
          onPick={(source) => {
            setIsOtherComponent(false)
            onPick(source)
          }}
        />
      )}
    </>
  )
}

function keptWords({ componentId, componentUid, streamId, streamUid }: VariableDraft): string {
  if (streamId === '' && (componentId ?? '') === '') return 'Deleted, or you do not have access'
  const stream = streamId || streamUid
  const component = componentId || componentUid
  return component === '' ? stream : `${stream} of ${component}`.slice(0, 80)
}

interface OtherComponentProps {
  readonly onPick: (source: Source) => void
  readonly onClose: () => void
}

function Elsewhere({ onPick, onClose }: OtherComponentProps) {
  const [component, setComponent] = useState<Schema<'Component'>>()
  const { streams, error } = useStreamsOf(component?.uid ?? '')
  return (
    <div className={styles.elsewhere}>
      {component === undefined ? (
        <ComponentSearch label="Component" onChoose={setComponent} />
      ) : (
        <Select
          label={`Stream of ${shownName(component).slice(0, 60)}`}
          value=""
          error={error?.message}
          choices={[
            { value: '', label: streams?.length === 0 ? 'No streams' : 'Choose' },
            ...(streams ?? []).map((one) => ({
              value: one.uid,
              label: shownName(one).slice(0, 80),
            })),
          ]}
          onChoose={(uid) => {
            const picked = streams?.find((one) => one.uid === uid)
            if (picked === undefined) return
            onPick({
              componentId: component.id,
              componentUid: component.uid,
              streamId: picked.id,
              streamUid: picked.uid,
            })
          }}
        />
      )}
      <div className={styles.tools}>
        {component !== undefined && (
          <Button onClick={() => setComponent(undefined)}>Choose another component</Button>
        )}
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </div>
  )
}
