import { call } from '../../../api/client.ts'
import type { Schema } from '../../../api/paths.ts'
import { useQuery } from '../../../api/use-query.ts'
import { Link } from '../../../app/link.tsx'
import { editStreamPath } from '../../../app/paths.ts'
import styles from './derive.module.css'

type Graph = Schema<'StreamGraph'>

const NAME_LENGTH_MAX = 80

interface StreamTreeProps {
  readonly componentUid: string
  readonly uid: string
}

/** What a stream is derived from and what is derived from it, as two trees; nothing where it stands alone. */
export function StreamTree({ componentUid, uid }: StreamTreeProps) {
  const { data } = useQuery(['stream', componentUid, 'graph', uid], (signal) =>
    call('get', '/api/component/{componentUid}/stream/{uid}/graph', {
      path: { componentUid, uid },
      signal,
    }),
  )
  if (data === undefined || data.graph.edges.length === 0) return null
  const { graph } = data
  return (
    <section className={styles.panel} aria-label="Dependencies">
      <h2>Dependencies</h2>
      <div className={styles.trees}>
        <Side
          graph={graph}
          way="from"
          title="Derived from"
          none="No sources. Samples are sent by devices or people"
        />
        <Side graph={graph} way="to" title="Used by" none="No other streams" />
      </div>
      {!graph.isWhole && <p className={styles.note}>Only the nearest streams are shown.</p>}
    </section>
  )
}

interface SideProps {
  readonly graph: Graph
  /** Whether edges are followed to what a stream reads, or to what reads it. */
  readonly way: 'from' | 'to'
  readonly title: string
  readonly none: string
}

function Side({ graph, way, title, none }: SideProps) {
  const rows = rowsOf(graph, way)
  return (
    <div>
      <p className={styles.title}>{title}</p>
      {rows.length === 0 ? (
        <p className={styles.note}>{none}</p>
      ) : (
        <Branches rows={rows} label={title} />
      )}
    </div>
  )
}

/** A stream of a tree, and what hangs on it. */
interface Branch {
  readonly at: number
  readonly node: Graph['nodes'][number]
  /** Whether it stood in the tree before: what hangs on it is shown there. */
  readonly isAgain: boolean
  readonly below: readonly Branch[]
}

/** The tree of what lies one way from the first stream, each stream opened once. */
function rowsOf({ nodes, edges }: Graph, way: 'from' | 'to'): readonly Branch[] {
  const back = way === 'from' ? 'to' : 'from'
  const seen = new Set<number>()
  const below = (place: number): Branch[] =>
    edges
      .filter((edge) => edge[back] === place)
      .map((edge) => {
        const at = edge[way]
        const isAgain = seen.has(at)
        seen.add(at)
        return { at, node: nodes[at], isAgain, below: isAgain ? [] : below(at) }
      })
  return below(0)
}

function Branches({ rows, label }: { readonly rows: readonly Branch[]; readonly label?: string }) {
  return (
    <ul className={styles.tree} aria-label={label}>
      {rows.map(({ at, node, isAgain, below }) => (
        <li key={at}>
          {node.isHidden ? (
            <span className={styles.note}>A stream that you cannot access</span>
          ) : (
            <Link to={editStreamPath(node)}>{nameOf(node)}</Link>
          )}
          {isAgain && !node.isHidden && <span className={styles.note}> (see above)</span>}
          {below.length > 0 && <Branches rows={below} />}
        </li>
      ))}
    </ul>
  )
}

function nameOf(node: Graph['nodes'][number]): string {
  const stream = node.streamName || node.streamId || 'Unnamed'
  const component = node.componentName || node.componentId || 'an unnamed component'
  return `${stream.slice(0, NAME_LENGTH_MAX)} of ${component.slice(0, NAME_LENGTH_MAX)}`
}
