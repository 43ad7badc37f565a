import { useRole } from '../../../api/session.ts'
import { Checkbox } from '../../../ui/field.tsx'
import { type Choice, Select } from '../../../ui/select.tsx'
import build from '../build.module.css'
import type { FieldsProps } from '../form.ts'
import type { StreamDraft } from '../stream-draft.ts'
import { blankDerivation, type DerivationDraft, type DerivePlace } from './derivation-draft.ts'
import styles from './derive.module.css'
import { FormulaEditor } from './formula-editor.tsx'
import { PreviewPanel } from './preview-panel.tsx'
import { useOwnSources } from './use-sources.ts'
import { VariableRows } from './variable-rows.tsx'

const ORIGINS: readonly Choice[] = [
  { value: 'NONE', label: 'Sent by devices and people' },
  { value: 'FROM_EXPRESSION', label: 'Calculated from other streams' },
]

const TRIGGERS: readonly Choice[] = [
  { value: 'ALL', label: 'Every variable has a sample' },
  { value: 'ANY', label: 'Any variable has a sample (use the latest of the others)' },
]

interface DerivationFieldsProps extends FieldsProps<StreamDraft> {
  readonly place: DerivePlace
}

/** Where the samples of a stream come from, and the formula where that is one. */
export function DerivationFields(props: DerivationFieldsProps) {
  const { value, set, errorOf } = props
  const isDerived = value.streamDerivationType === 'FROM_EXPRESSION'
  return (
    <div className={build.whole}>
      <Select
        label="Source"
        value={value.streamDerivationType}
        error={errorOf('streamDerivationType')}
        choices={ORIGINS}
        onChoose={(chosen) => {
          const derivation = chosen === 'NONE' ? null : (value.derivation ?? blankDerivation)
          const streamDerivationType = chosen as StreamDraft['streamDerivationType']
          set({ streamDerivationType, derivation })
        }}
      />
      {isDerived && <Formula {...props} derivation={value.derivation ?? blankDerivation} />}
    </div>
  )
}

function Formula(props: DerivationFieldsProps & { readonly derivation: DerivationDraft }) {
  const { value, derivation, place, set, errorOf } = props
  const isReadOnly = useRole() === 'GUEST'
  const { uid } = value
  const all = useOwnSources(place)
  const sources = all.filter((one) => one !== value && (one.uid === '' || one.uid !== uid))
  const change = (changes: Partial<DerivationDraft>) =>
    set({ derivation: { ...derivation, ...changes } })
  const { trigger, followsCorrections, variables } = derivation
  return (
    <div className={styles.derive}>
      <FormulaEditor
        derivation={derivation}
        place={place}
        sources={sources}
        isReadOnly={isReadOnly}
        isRandom={value.streamType === 'rdm_stream'}
        error={errorOf('derivation.expression')}
        onChange={(expression) => change({ expression })}
      />
      <VariableRows
        variables={variables}
        place={place}
        sources={sources}
        errorOf={errorOf}
        onChange={(next) => change({ variables: [...next] })}
      />
      <Select
        label="Calculate when"
        value={trigger}
        error={errorOf('derivation.trigger')}
        choices={TRIGGERS}
        onChoose={(chosen) => change({ trigger: chosen as DerivationDraft['trigger'] })}
      />
      <Checkbox
        label="Recalculate when source samples are late, changed, or deleted"
        checked={followsCorrections}
        onChange={(event) => change({ followsCorrections: event.currentTarget.checked })}
      />
      {place.componentUid !== undefined && (
        <PreviewPanel
          componentUid={place.componentUid}
          zone={place.timeZoneId}
          stream={{ ...value, derivation }}
        />
      )}
    </div>
  )
}
