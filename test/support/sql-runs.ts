import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Clock, createLog, epochMs, systemClock } from '../../src/base/index.ts'
import {
  type CompiledQuery,
  type CompiledSql,
  type CompiledStatement,
  type RowCell,
  type SqlCall,
  type SqlCell,
  type SqlRunnerSettings,
  SqlRunners,
} from '../../src/sql/index.ts'
import { atEnd } from './at-end.ts'

// Runners find their code compiled, as those of the service do.
const cache = mkdtempSync(join(tmpdir(), 'weir-sql-cache-'))
enableCompileCache(cache)
process.once('exit', () => rmSync(cache, { recursive: true, force: true }))

function makeRunners(settings: Partial<SqlRunnerSettings>, clock = systemClock): SqlRunners {
  return new SqlRunners({
    settings: { runnersMax: 2, seconds: 60, memoryMb: 256, ...settings },
    clock,
    log: createLog({ level: 'silent' }),
  })
}

/** Runners of a test, ended with it. */
export function openRunners(
  t: TestContext,
  settings: Partial<SqlRunnerSettings> = {},
  clock?: Clock,
): SqlRunners {
  const runners = makeRunners(settings, clock)
  t.after(() => runners.close())
  return runners
}

let shared: SqlRunners | undefined

/** One runner for all tests of this process that need no more: a start takes far longer than most of them. */
export function sharedRunners(): SqlRunners {
  if (shared !== undefined) return shared
  const runners = makeRunners({ runnersMax: 1 })
  atEnd(() => runners.close())
  shared = runners
  return runners
}

/** A query as the compiler would give it, of SQLite's own text. */
export function queryOf(sql: string, more: Partial<CompiledQuery> = {}): CompiledQuery {
  const variables = [...sql.matchAll(/:v(\d+)/g)].map(([, number]) => Number(number))
  return {
    sql,
    columns: [{ name: 'a', type: 'UNKNOWN' }],
    readsNow: sql.includes(':now'),
    variables: [...new Set(variables)],
    functions: [],
    sources: [],
    reads: [],
    places: [],
    place: [0, sql.length],
    ...more,
  } as CompiledQuery
}

/** A query with `columnCount` columns. */
export function wideQueryOf(sql: string, columnCount: number): CompiledQuery {
  const columns = Array.from({ length: columnCount }, (_, index) => ({
    name: `c${index}`,
    type: 'UNKNOWN',
  }))
  return queryOf(sql, { columns: columns as never })
}

/** A program of SELECTs, or of statements as they are. */
export function programOf(...statements: readonly (string | CompiledStatement)[]): CompiledSql {
  return {
    text: statements.map((one) => (typeof one === 'string' ? one : one.query.sql)).join(';'),
    variables: ['@A', '@B'],
    statements: statements.map((one) =>
      typeof one === 'string' ? { kind: 'select', query: queryOf(one) } : one,
    ),
  }
}

/** Runs a program and gathers its rows. */
export async function gather(
  runners: SqlRunners,
  program: CompiledSql,
  more: Partial<SqlCall> & { readonly values?: Readonly<Record<string, SqlCell>> } = {},
): Promise<RowCell[][]> {
  const gathered: RowCell[][] = []
  await runners.run({
    owner: 'a',
    key: program.text,
    program,
    now: epochMs(0),
    rowsMax: 1_000_000,
    variables: new Map(Object.entries(more.values ?? {})),
    onRows: (_statement, rows) => void gathered.push(...rows),
    ...more,
  })
  return gathered
}

/** Polls until something holds, for a minute at most. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
  for (let round = 0; round < 6_000; round += 1) {
    if (holds()) return
    await pause(10)
  }
  throw new Error(`${what} did not come about`)
}

/** The processes that descend from one, by their IDs. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const [, after] = readFileSync(`/proc/${name}/stat`, 'latin1').split(/\) (?=[A-Z] )/)
      const [state, parent] = after.split(' ')
      if (state !== 'Z') parents.set(Number(name), Number(parent))
    } catch {
      // It has ended since the folder was read.
    }
  }
  const childrenOf = (one: number): number[] =>
    [...parents]
      .filter(([, parent]) => parent === one)
      .flatMap(([child]) => [child, ...childrenOf(child)])
  return childrenOf(pid)
}

/** The processes of Node among the runners of this one. */
export function runnerPids(): number[] {
  return descendantsOf(process.pid).filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0')
      return words[1] === '--permission' && words.at(-2) === 'serve'
    } catch {
      return false
    }
  })
}
