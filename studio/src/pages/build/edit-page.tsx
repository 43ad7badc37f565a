import { getRecord, recordKey } from '../../api/records.ts'
import { useQuery } from '../../api/use-query.ts'
import { Link } from '../../app/link.tsx'
import { NoPage } from '../../app/no-page.tsx'
import type { PageProps } from '../../app/page-entry.ts'
import { componentPath } from '../../app/paths.ts'
import { SectionFrame } from '../../app/section-frame.tsx'
import { Empty } from '../../ui/empty.tsx'
import { BUILD, listPath } from './build-section.ts'
import { EDITORS } from './editors.ts'
import { shownName } from './form.ts'
import { type KindWords, wordsOf } from './kinds.ts'
import { RecordEditor } from './record-editor.tsx'

/** The editor of one record; `new` in the place of its UID makes one. */
export function EditPage({ params }: PageProps) {
  const words = wordsOf(params.kind)
  if (words === undefined) return <NoPage />
  return <OneRecord key={`${words.kind}/${params.uid}`} words={words} uid={params.uid} />
}

function OneRecord({ words, uid }: { readonly words: KindWords; readonly uid: string }) {
  const { kind, one } = words
  const { data, error } = useQuery(recordKey(kind, uid), (signal) => getRecord(kind, uid, signal))
  const title = uid === 'new' ? `New ${one}` : data === undefined ? one : shownName(data)
  return (
    <SectionFrame
      section={BUILD}
      here={listPath(kind)}
      title={title}
      actions={
        kind === 'component' && uid !== 'new' ? (
          <Link to={componentPath(uid)}>View data</Link>
        ) : undefined
      }
    >
      {data === undefined && error !== undefined && <Empty text={error.message} />}
      {data !== undefined && <RecordEditor words={words} editor={EDITORS[kind]} saved={data} />}
    </SectionFrame>
  )
}
