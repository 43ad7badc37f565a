import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Link } from '../../app/link.tsx'
import { componentPath } from '../../app/paths.ts'
import { navigate, useAddress } from '../../app/place.ts'
import { isLabel } from '../../app/search-label.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import styles from './explore.module.css'
import { LabelFinds } from './label-finds.tsx'
import { labelOf, ROOT, type TreeRow, type TreeRows } from './tree-rows.ts'
import { prepareSearch, useFound } from './use-found.ts'
import { type Located, type Tree, useTree } from './use-tree.ts'
import { useTreeKeys } from './use-tree-keys.ts'

const ROW_HEIGHT = 36
const SETTLE_MS = 40

interface TreePanelProps {
  /** The component beside the tree: the way to it is opened, and the tree scrolls to it. */
  readonly shown?: Located
}

/** The search and, below it, the tree or what was found. */
export function TreePanel({ shown }: TreePanelProps) {
  const { query, change } = useAddress()
  const [text, setText] = useState(query.get('find') ?? '')
  const tree = useTree()
  const revealed = useRevealed(tree, shown)
  const asked = query.get('find')
  useEffect(() => {
    // A link may search for something else.
    if (asked !== null) setText((before) => (before.trim() === asked ? before : asked))
  }, [asked])
  const label = isLabel(text.trim()) ? text.trim() : undefined
  const found = useFound(label === undefined ? text.trim() : '')
  const isSearch = text.trim() !== ''
  const { rows, need, error } = isSearch ? found : tree
  const list = useRef<HTMLDivElement>(null)
  const search = (next: string) => {
    setText(next)
    change({ find: next.trim() })
  }
  const focusList = () => list.current?.querySelector<HTMLElement>('[role="tree"], a')?.focus()
  return (
    <section className={styles.tree} aria-label="Components">
      <label className={styles.search}>
        <Icon name="search" size={18} />
        <span className="visually-hidden">Search components, or streams by label</span>
        <input
          type="search"
          value={text}
          placeholder="Search, or label=value"
          onFocus={prepareSearch}
          onChange={({ target }) => search(target.value)}
          onKeyDown={({ key }) => key === 'ArrowDown' && focusList()}
        />
      </label>
      <p className={styles.count} role="status">
        {label === undefined && (error ?? (isSearch ? countText(found.totalCount) : ''))}
      </p>
      <div className={styles.rows} ref={list}>
        {label !== undefined && <LabelFinds label={label} />}
        {label === undefined && tree.isEmpty && !isSearch && (
          <Empty text="Components appear here when their first sample arrives.">
            <Link to="/">Send a sample</Link>
          </Empty>
        )}
        {label === undefined && (!tree.isEmpty || isSearch) && (
          <TreeList
            key={isSearch ? 'found' : 'tree'}
            rows={rows}
            need={need}
            shown={shown?.uid}
            revealed={isSearch ? undefined : revealed}
            isSearch={isSearch}
            toggle={tree.toggle}
          />
        )}
      </div>
    </section>
  )
}

/** Opens the way to a component; its row once the tree has it. */
function useRevealed({ rows, reveal, locate }: Tree, shown: Located | undefined) {
  const { uid, name, folder } = shown ?? {}
  const [found, setFound] = useState<{ readonly uid: string; readonly at: number }>()
  useEffect(() => {
    if (uid === undefined || name === undefined || !folder) return undefined
    reveal(folder)
    let isOver = false
    const looking = locate({ uid, name, folder }).catch(() => undefined)
    void looking.then((at) => {
      if (!isOver && at !== undefined) setFound({ uid, at })
    })
    return () => {
      isOver = true
    }
  }, [uid, name, folder, reveal, locate])
  if (uid === undefined || !folder || found?.uid !== uid) return undefined
  return rows.indexOf(folder, found.at)
}

function countText(count: number | undefined): string {
  if (count === undefined) return 'Searching …'
  return count === 0 ? 'No matching components.' : `${count.toLocaleString('en-GB')} found`
}

interface TreeListProps {
  readonly rows: TreeRows
  readonly shown: string | undefined
  /** A row that is brought into sight. */
  readonly revealed: number | undefined
  readonly isSearch: boolean
  need(rows: readonly TreeRow[]): void
  toggle(path: string, isOpen: boolean): void
}

function TreeList({ rows, shown, revealed: open, isSearch, need, toggle }: TreeListProps) {
  const id = useId()
  const [wanted, setWanted] = useState<{ readonly index: number }>()
  const setActive = (index: number) => setWanted({ index })
  useEffect(() => {
    if (open !== undefined) setWanted({ index: open })
  }, [open])
  const active = Math.min(wanted?.index ?? 0, Math.max(0, rows.length - 1))
  // A key that names the same row wants to see it again.
  const revealed = useMemo(
    () => (wanted === undefined ? undefined : { index: active }),
    [wanted, active],
  )
  const choose = (index: number) => {
    const row = rows.at(index)
    if (row?.kind === 'folder') toggle(row.path, !row.isOpen)
    else if (row?.component !== undefined) navigate(addressOf(row.component.uid))
  }
  const onKeyDown = useTreeKeys({ rows, active, setActive, toggle, choose })
  const settling = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(settling.current), [])
  const onRange = useCallback(
    ({ from, until }: { readonly from: number; readonly until: number }) => {
      clearTimeout(settling.current)
      // What only rushes by is not read.
      settling.current = setTimeout(() => {
        need(Array.from({ length: until - from }, (_, at) => rows.at(from + at)).filter(isRow))
      }, SETTLE_MS)
    },
    [rows, need],
  )
  return (
    <VirtualList
      label="Components"
      className={styles.list}
      count={rows.length}
      rowHeight={ROW_HEIGHT}
      revealed={revealed}
      keyOf={(index) => rows.at(index)?.key ?? index}
      onRange={onRange}
      listProps={{
        role: 'tree',
        tabIndex: 0,
        onKeyDown,
        'aria-activedescendant': rows.length === 0 ? undefined : `${id}-${active}`,
      }}
      rowProps={(index) => {
        const row = rows.at(index)
        return {
          id: `${id}-${index}`,
          role: 'treeitem',
          'aria-level': row?.depth,
          'aria-expanded': row?.kind === 'folder' ? row.isOpen : undefined,
          'aria-selected': shown !== undefined && shownOf(row) === shown,
          'aria-label': isLoading(row) ? 'Loading …' : undefined,
        }
      }}
      renderRow={(index) => (
        <Row
          row={rows.at(index)}
          isSearch={isSearch}
          isActive={index === active}
          isShown={shownOf(rows.at(index)) === shown && shown !== undefined}
          onToggle={() => {
            setActive(index)
            choose(index)
          }}
        />
      )}
    />
  )
}

function isRow(row: TreeRow | undefined): row is TreeRow {
  return row !== undefined
}

/** Whether a row has no name to show yet. */
function isLoading(row: TreeRow | undefined): boolean {
  return row === undefined || (row.kind === 'component' && row.component === undefined)
}

function shownOf(row: TreeRow | undefined): string | undefined {
  return row?.kind === 'component' ? row.component?.uid : undefined
}

/** What was searched for stays in sight. */
function addressOf(uid: string): string {
  const find = new URLSearchParams(location.search).get('find') ?? ''
  return `${componentPath(uid)}${find === '' ? '' : `?find=${encodeURIComponent(find)}`}`
}

interface RowProps {
  readonly row: TreeRow | undefined
  readonly isSearch: boolean
  readonly isActive: boolean
  readonly isShown: boolean
  readonly onToggle: () => void
}

function Row({ row, isSearch, isActive, isShown, onToggle }: RowProps) {
  if (row === undefined) return null
  const style = { paddingInlineStart: 8 + (row.depth - 1) * 16 }
  const marks = { 'data-active': isActive || undefined, 'data-shown': isShown || undefined }
  if (row.kind === 'folder') {
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the keys of its rows.
      // biome-ignore lint/a11y/noStaticElementInteractions: the row itself is the tree's item.
      <div className={styles.row} style={style} title={row.path} onClick={onToggle} {...marks}>
        <Icon name={row.isOpen ? 'down' : 'right'} size={16} />
        <span className={styles.label}>{row.label}</span>
      </div>
    )
  }
  const { component } = row
  if (component === undefined) return <div className={styles.row} style={style} aria-busy="true" />
  const label = labelOf(component)
  const place = component.folder.slice(ROOT.length + 1)
  return (
    <Link
      className={styles.row}
      style={{ ...style, paddingInlineStart: style.paddingInlineStart + (isSearch ? 0 : 24) }}
      to={addressOf(component.uid)}
      tabIndex={-1}
      title={[label, component.id, component.folder].join('\n')}
      {...marks}
    >
      <span className={styles.label}>{label}</span>
      {isSearch && place !== '' && <span className={styles.place}>{place}</span>}
    </Link>
  )
}
