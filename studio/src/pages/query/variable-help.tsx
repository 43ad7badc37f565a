import { Select } from '../../ui/select.tsx'
import styles from './query.module.css'
import { useGqlLanguage } from './use-gql-editor.ts'

/** A value to try each variable with. */
const TRIED: Readonly<Record<string, string>> = {
  '@HTTP_BODY': '\'{"id":"s1","value":21.5}\'',
  '@HTTP_QUERY_STRING': "'id=s1&value=21.5'",
  '@HTTP_METHOD': "'POST'",
  '@JDBC_RESULT': "'time,value\n1700000000000,21.5'",
  '@LAST_RUN_DATE': '0',
  '@CONNECTOR_ID': "'import'",
  '@FROM': 'now() - 86400000',
  '@UNTIL': 'now()',
}

const ALL = 'all'

/** Writes SET lines before a text, so that statements of connectors can be tried without a call. */
export function VariableHelp({ onInsert }: { readonly onInsert: (text: string) => void }) {
  const names = useGqlLanguage()?.variables.map(({ name }) => name) ?? []
  const lineOf = (name: string) => `SET ${name} = ${TRIED[name] ?? 'NULL'};\n`
  return (
    <div className={styles.inline}>
      <Select
        label="Set a system variable"
        isLabelHidden
        value=""
        choices={[
          { value: '', label: 'SET variable …' },
          ...names.map((name) => ({ value: name, label: `SET ${name}` })),
          { value: ALL, label: 'SET all variables' },
        ]}
        onChoose={(name) => {
          if (name !== '') onInsert(name === ALL ? names.map(lineOf).join('') : lineOf(name))
        }}
      />
    </div>
  )
}
