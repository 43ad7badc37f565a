import { Link } from '../../app/link.tsx'
import type { FoundStream } from '../../state/use-stream.ts'
import { PairList } from '../../ui/pair-list.tsx'

/** Longer ones make addresses that servers in between may refuse. */
const SEARCHED_MAX = 200

/** The labels of a stream, each with the way to the streams that share it; nothing where it has none. */
export function LabelLine({ found: { record } }: { readonly found: FoundStream }) {
  if (record?.labels === undefined) return null
  return (
    <PairList
      label="Labels"
      pairs={record.labels}
      draw={(text, name, value) => {
        const label = `${name}=${value}`
        if (label.length > SEARCHED_MAX) return text
        return <Link to={`/c?find=${encodeURIComponent(label)}`}>{text}</Link>
      }}
    />
  )
}
