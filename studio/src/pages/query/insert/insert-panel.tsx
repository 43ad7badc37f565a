import { useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useQuiet } from '../../../ui/use-quiet.ts'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import styles from '../query.module.css'
import { useGqlLanguage } from '../use-gql-editor.ts'
import { type InsertRow, rowsOf } from './insert-rows.ts'
import { useComponents } from './use-components.ts'

const ROW_HEIGHT = 32

interface InsertPanelProps {
  /** Writes a text where the caret is; where nothing is written yet, a whole query. */
  readonly onInsert: (text: string, whole?: string) => void
}

/** Tables with their columns, and components with their streams; a click writes them into the text. */
export function InsertPanel({ onInsert }: InsertPanelProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [search, setSearch] = useState('')
  const words = useGqlLanguage()
  const found = useComponents(useQuiet(search).trim(), open)
  const rows = rowsOf({ tables: words?.tables ?? [], open, ...found })
  const toggle = (key: string) => {
    const next = new Set(open)
    if (!next.delete(key)) next.add(key)
    setOpen(next)
  }
  return (
    <section aria-labelledby="insert-from">
      <h2 id="insert-from" className={styles.heading}>
        Tables and streams
      </h2>
      <Field
        label="Find a component"
        isLabelHidden
        placeholder="Find a component"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <VirtualList
        label="Tables and streams to insert"
        className={styles.insert}
        count={rows.length}
        rowHeight={ROW_HEIGHT}
        keyOf={(at) => rows[at].key}
        renderRow={(at) => (
          <Row row={rows[at]} isOpen={open.has(rows[at].key)} toggle={toggle} onInsert={onInsert} />
        )}
      />
      {found.error !== undefined && <p className={styles.soft}>{found.error}</p>}
    </section>
  )
}

interface RowProps extends InsertPanelProps {
  readonly row: InsertRow
  readonly isOpen: boolean
  readonly toggle: (key: string) => void
}

function Row({ row, isOpen, toggle, onInsert }: RowProps) {
  const { key, label, detail, text, whole, isFolded, depth } = row
  if (text === '') return <p className={styles.soft}>{label}</p>
  return (
    <div className={styles.insertRow} style={{ paddingLeft: depth * 16 }}>
      {isFolded ? (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-label={`Contents of ${label}`}
          onClick={() => toggle(key)}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={16} />
        </button>
      ) : (
        <span className={styles.fold} />
      )}
      <button
        type="button"
        className={styles.insertButton}
        title={`Insert ${text}`}
        onClick={() => onInsert(text, whole)}
      >
        <span>{label}</span>
        {detail !== '' && <span className={styles.detail}>{detail}</span>}
      </button>
    </div>
  )
}
