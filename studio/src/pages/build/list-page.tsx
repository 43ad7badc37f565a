import { listRecords, type RecordKinds, recordKey } from '../../api/records.ts'
import { useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { NoPage } from '../../app/no-page.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { navigate, useAddress } from '../../app/place.ts'
import { SectionFrame } from '../../app/section-frame.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import styles from './build.module.css'
import { BUILD, listPath } from './build-section.ts'
import { type BuildKind, type KindWords, wordsOf } from './kinds.ts'
import { columnsOf } from './list-columns.tsx'

const PAGE = 100

/** All records of a kind, page by page. */
export function ListPage({ params }: PageProps) {
  const words = wordsOf(params.kind)
  if (words === undefined) return <NoPage />
  return <KindList key={words.kind} words={words} />
}

function KindList({ words }: { readonly words: KindWords }) {
  const { kind, many, one, empty } = words
  const isReader = useRole() === 'GUEST'
  const { query } = useAddress()
  const start = Math.max(0, Number(query.get('start') ?? 0) || 0)
  const folder = query.get('folder') ?? ''
  const search = query.get('search') ?? ''
  const asked = {
    start: String(start),
    limit: String(PAGE),
    ...(folder === '' ? {} : { folder }),
    ...(search === '' ? {} : { search }),
  }
  const { data, error } = useQuery(
    recordKey(kind, 'list', start, folder, search),
    (signal) => listRecords(kind, asked, signal),
    { keepPrevious: true },
  )
  const make = isReader ? undefined : (
    <Button kind="primary" icon="plus" onClick={() => navigate(`/build/${kind}/new`)}>
      New {one}
    </Button>
  )
  return (
    <SectionFrame section={BUILD} here={listPath(kind)} actions={make}>
      {kind === 'component' && (
        <Filter key={`${folder}/${search}`} folder={folder} search={search} />
      )}
      {error !== undefined && <Empty text={error.message} />}
      {data?.total === 0 && folder + search !== '' && <Empty text="No matches." />}
      {data?.total === 0 && folder + search === '' && <Empty text={empty}>{make}</Empty>}
      {data !== undefined && data.total > 0 && (
        <DataTable<RecordKinds[BuildKind]>
          label={many}
          columns={columnsOf(kind)}
          rows={data.rows}
          keyOf={({ uid }) => uid}
        />
      )}
      <Pages start={start} total={data?.total ?? 0} />
    </SectionFrame>
  )
}

function Filter({ folder, search }: { readonly folder: string; readonly search: string }) {
  const { change } = useAddress()
  return (
    <form
      className={styles.tools}
      onSubmit={(event) => {
        event.preventDefault()
        const typed = new FormData(event.currentTarget)
        const of = (name: string) => String(typed.get(name) ?? '').trim()
        change({ search: of('search'), folder: of('folder'), start: undefined }, { step: true })
      }}
    >
      <Field
        label="Search"
        name="search"
        type="search"
        defaultValue={search}
        placeholder="Name, ID, or folder"
        autoComplete="off"
      />
      <Field
        label="Folder"
        name="folder"
        defaultValue={folder}
        placeholder="/Components/Hall 1"
        autoComplete="off"
      />
      <Button type="submit" className={styles.show}>
        Apply
      </Button>
    </form>
  )
}

function Pages({ start, total }: { readonly start: number; readonly total: number }) {
  const { change } = useAddress()
  if (total <= PAGE && start === 0) return null
  const go = (to: number) => change({ start: to === 0 ? undefined : String(to) }, { step: true })
  return (
    <div className={styles.pages}>
      <Button disabled={start === 0} onClick={() => go(Math.max(0, start - PAGE))}>
        Previous
      </Button>
      <span>
        {start + 1} to {Math.min(total, start + PAGE)} of {total.toLocaleString()}
      </span>
      <Button disabled={start + PAGE >= total} onClick={() => go(start + PAGE)}>
        Next
      </Button>
    </div>
  )
}
