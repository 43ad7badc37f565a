/** A piece of the composition root: whether Cassandra answers, for /readyz and the log. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Log, Refusal } from '../base/index.ts'
import type { Cluster } from '../store/cassandra/index.ts'

const LOOK_EVERY_MS = 2_000
/** A majority that takes longer serves nobody. */
const ANSWER_MS_MAX = 2_500

/** What is wrong with Cassandra, as it was seen last. */
interface CassandraWatch {
  /** Undefined while a majority of the copies answers and the role may read. */
  readonly problem: string | undefined
  close(): void
}

/** Reads one row at QUORUM from time to time. The log says when the answer changes, and why. */
export function watchCassandra(cluster: Pick<Cluster, 'run'>, log: Log): CassandraWatch {
  const stopping = new AbortController()
  let problem: string | undefined
  const note = (found: string | undefined, why?: string) => {
    if (stopping.signal.aborted) return
    if (found !== undefined && problem === undefined) log.warn({ why }, found)
    if (found === undefined && problem !== undefined) log.info('Cassandra answers again')
    problem = found
  }
  const look = async () => {
    let isOver = false
    const late = setTimeout(() => {
      isOver = true
      note(NO_ANSWER)
    }, ANSWER_MS_MAX).unref()
    try {
      await cluster.run(READ)
      // An answer that is late shows that the next ones may come.
      if (!isOver) note(undefined)
    } catch (error) {
      note(NO_ANSWER, reasonOf(error))
    } finally {
      clearTimeout(late)
    }
  }
  const work = async () => {
    while (!stopping.signal.aborted) {
      await look()
      await pause(LOOK_EVERY_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }
  void work()
  return {
    get problem() {
      return problem
    },
    // What it asks ends with the connection.
    close: () => stopping.abort(),
  }
}

const READ = `SELECT value FROM meta WHERE name = 'schema'`
const NO_ANSWER =
  'Cassandra does not answer: too few of its nodes are there, or they refuse this process'

function reasonOf(error: unknown): string {
  const cause = error instanceof Refusal ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}
