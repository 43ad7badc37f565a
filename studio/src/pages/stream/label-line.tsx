import type { FoundStream } from '../../state/use-stream.ts'
import { PairList } from '../../ui/pair-list.tsx'

/** The labels of a stream; nothing where it has none. */
export function LabelLine({ found: { record } }: { readonly found: FoundStream }) {
  if (record?.labels === undefined) return null
  return <PairList label="Labels" pairs={record.labels} />
}
