import { useState } from 'react'
import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useQuery } from '../../../api/use-query.ts'
import { DataTable } from '../../../ui/data-table.tsx'
import { FormAlert, TextArea } from '../../../ui/field.tsx'
import { useQuiet } from '../../../ui/use-quiet.ts'
import styles from './rule.module.css'

const EXAMPLE = 'weather,site=north,host=roof,room=1 temperature=21.5,humidity=48'

interface RulePreviewProps {
  readonly rules: Pick<Schema<'AddressPreviewBody'>['door'], 'keyRule' | 'organizationRule'>
}

/** The IDs that rules give to the series of lines, while one types. */
export function RulePreview({ rules }: RulePreviewProps) {
  const [lines, setLines] = useState(EXAMPLE)
  const asked = useQuiet(JSON.stringify({ lines, ...rules }))
  const { data, error } = useQuery(
    ['door', 'preview', asked],
    (signal) => call('post', '/api/door/preview', { body: { door: JSON.parse(asked) }, signal }),
    { keepPrevious: true },
  )
  return (
    <section aria-label="Result of the rule">
      <TextArea
        label="Preview"
        hint="Paste lines of InfluxDB line protocol. Nothing is stored"
        className={styles.lines}
        rows={2}
        spellCheck={false}
        value={lines}
        onChange={(event) => setLines(event.currentTarget.value)}
      />
      <FormAlert>{error?.message}</FormAlert>
      {error === undefined && data !== undefined && <Result preview={data.preview} />}
    </section>
  )
}

function Result({ preview }: { readonly preview: Schema<'AddressPreview'> }) {
  const { series, refused, isCut } = preview
  const isEmpty = series.length === 0 && refused.length === 0
  return (
    <>
      {series.length > 0 && (
        <DataTable
          label="Addresses of new series"
          isDense
          rows={series}
          keyOf={(one) => JSON.stringify(one.series)}
          columns={[
            { id: 'line', label: 'Line', isNumber: true, show: ({ line }) => line },
            { id: 'component', label: 'Component ID', show: (one) => <Id text={one.component} /> },
            { id: 'stream', label: 'Stream ID', show: (one) => <Id text={one.stream} /> },
          ]}
        />
      )}
      {refused.length > 0 && (
        <ul className={styles.refused} aria-label="Lines that cannot be read">
          {refused.map(({ line, reason }) => (
            <li key={line}>
              Line {line}: {reason}
            </li>
          ))}
        </ul>
      )}
      <p className={styles.hint} role="status">
        {isEmpty && 'No points.'}
        {isCut && `Only the first ${series.length} series are shown.`}
      </p>
    </>
  )
}

function Id({ text }: { readonly text: string }) {
  return (
    <span className={styles.id} dir="auto">
      {text}
    </span>
  )
}
