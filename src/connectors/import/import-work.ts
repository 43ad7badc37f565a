/** The work of one run: rows are fetched, Ingest SQL makes samples of them, all are checked, then stored. */
import { type EpochMs, epochMs, type MemoryBudget } from '../../base/index.ts'
import type { Feed } from '../../feed/index.ts'
import type { GqlRuns } from '../../gql/index.ts'
import type { CatalogStore, Lease, PayloadKey } from '../../store/index.ts'
import type { Connections } from '../connection/connections.ts'
import type { DatabaseLimits } from '../database/database-port.ts'
import { GatheredSamples } from '../result/gathered-samples.ts'
import { makeResult } from '../result/make-result.ts'
import { ResultFile, type ResultSummary } from '../result/result-file.ts'
import { RunStreams } from '../result/run-streams.ts'
import type { SharedResults } from '../result/shared-results.ts'
import { storeResult } from '../result/store-result.ts'
import { placeInProc, programOf } from '../run/connector-program.ts'
import type { PayloadRuns } from '../run/payload-runs.ts'
import {
  forgetImportedValues,
  keepImportedValues,
  keepImportState,
  readImportedValues,
  readImportState,
} from './import-memory.ts'
import type { ImportConnector } from './import-record.ts'
import { ResultCsv } from './result-csv.ts'
import { ResultRows } from './result-rows.ts'

/** What runs work with. */
export interface ImportWorkDeps {
  readonly budget: MemoryBudget
  readonly catalogStore: CatalogStore
  readonly connections: Pick<Connections, 'open'>
  readonly feed: Pick<Feed, 'put' | 'tryPut' | 'catalog'>
  /** Where results lie until they are stored. */
  readonly folder: string
  readonly gql: Pick<GqlRuns, 'run' | 'readsOfResult' | 'prepare'>
  /** Samples that a run may store. */
  readonly samplesMax: number
  /** Where other processes find results; undefined where there are none. */
  readonly results: SharedResults | undefined
  readonly users: Pick<PayloadRuns, 'principalOf'>
}

/** A run as its work sees it; it reports its progress there. */
export interface WorkingRun {
  readonly key: PayloadKey
  /** Under which it runs. */
  readonly lease: Lease
  readonly start: EpochMs
  /** Whether an earlier process has begun it. */
  readonly isResumed: boolean
  readonly signal: AbortSignal
  rowsFetched: number
  samples: number
  /** Whether it can only go through: a part of it may be stored. */
  isStoring: boolean
}

/** What came of the work. */
type ImportCounts = Omit<ResultSummary, 'last'>

/** A statement may take long to give its first rows. */
const LIMITS: DatabaseLimits = { connectMs: 15_000, answerMs: 300_000 }
/** Samples of one put: little to hold, and long enough that the way is worth it. */
const PART_SAMPLES = 25_000

/** Does the work of a run to its end, or from where an earlier process has come to. */
export async function workImport(
  deps: ImportWorkDeps,
  connector: ImportConnector,
  run: WorkingRun,
): Promise<ImportCounts> {
  const found = run.isResumed ? await findResult(deps, run) : undefined
  run.isStoring = found !== undefined
  const file = found ?? (await makeImport(deps, connector, run))
  try {
    if (found === undefined) await deps.results?.publish(file, run.key, run.lease)
    run.isStoring = true
    const { last: _last, ...counts } = file.summary
    run.rowsFetched = counts.rowsFetched
    await storeAll(deps, connector, run, file)
    await keepImportedValues(memoryOf(deps, run), await file.readImported())
    const state = { lastRunMs: run.start, lastRunUid: run.key.uid, ...counts }
    await keepImportState(deps.catalogStore, run.key, state)
    return counts
  } finally {
    await file.close()
  }
}

/** The checked result that an earlier process has left. */
async function findResult(
  { folder, results }: ImportWorkDeps,
  { key, lease }: WorkingRun,
): Promise<ResultFile | undefined> {
  // What lies here may be older than what another process has made of it.
  return results === undefined
    ? await ResultFile.find(folder, key.uid)
    : await results.take(key, lease)
}

async function storeAll(
  deps: ImportWorkDeps,
  connector: ImportConnector,
  run: WorkingRun,
  file: ResultFile,
): Promise<void> {
  const renew = () => deps.users.principalOf(connector)
  try {
    await storeResult(
      {
        ...deps,
        renew,
        now: run.start,
        signal: run.signal,
        isResumed: run.isResumed,
        onStored: (samples) => {
          run.samples = samples
        },
      },
      file,
    )
  } catch (error) {
    // What is remembered of these streams may differ from what they have: it must not make rows unchanged.
    const forgetting = file
      .readImported()
      .then((imported) => forgetImportedValues(memoryOf(deps, run), imported.keys()))
    // The cause of the failure is reported, not later failures.
    await forgetting.catch(() => undefined)
    throw error
  }
}

function memoryOf({ catalogStore, feed }: ImportWorkDeps, { key }: WorkingRun) {
  return { store: catalogStore, index: feed.catalog.index, orgUid: key.orgUid }
}

/** Fetches, ingests and checks; the result is on disk, durably, when it resolves, and nothing of it stored. */
async function makeImport(
  deps: ImportWorkDeps,
  connector: ImportConnector,
  run: WorkingRun,
): Promise<ResultFile> {
  const file = await ResultFile.create(deps.folder, run.key.uid)
  try {
    await gatherInto(file, deps, connector, run)
    run.signal.throwIfAborted()
    return file
  } catch (error) {
    await file.remove()
    throw error
  }
}

async function gatherInto(
  file: ResultFile,
  deps: ImportWorkDeps,
  connector: ImportConnector,
  run: WorkingRun,
): Promise<void> {
  const { folder, users } = deps
  const streams = new RunStreams()
  const samples = await GatheredSamples.open(folder, streams, run.start)
  try {
    await fetchAndIngest(deps, connector, run, samples)
    const known = connector.skipUnchangedRows
      ? await readImportedValues(memoryOf(deps, run), streams.list)
      : undefined
    const principal = await users.principalOf(connector)
    await makeResult(
      { ...deps, principal, now: run.start, signal: run.signal, partSamples: PART_SAMPLES },
      { samples, streams, known, rowsFetched: run.rowsFetched },
      file,
    )
  } finally {
    await samples.close()
  }
}

async function fetchAndIngest(
  deps: ImportWorkDeps,
  connector: ImportConnector,
  run: WorkingRun,
  samples: GatheredSamples,
): Promise<void> {
  const { connections, folder, gql } = deps
  const { connection, externalSql, maxRows, orgUid } = connector
  await gql.prepare(textOf(connector))
  const readCount = gql.readsOfResult(textOf(connector))
  const place = { orgUid, uid: connection.uid }
  const session = await connections.open(place, LIMITS, run.signal)
  try {
    const batches = session.read(externalSql, maxRows)
    const onRows = (count: number) => {
      run.rowsFetched += count
    }
    if (readCount === undefined) {
      const csv = new ResultCsv()
      for await (const { columns, rows } of batches) {
        csv.add(columns, rows)
        onRows(rows.length)
      }
      await session.close()
      return await ingest(deps, connector, run, { samples, csv: csv.toString() })
    }
    const rows = await ResultRows.open(batches, { readCount, folder, onRows })
    try {
      await ingest(deps, connector, run, { samples, rows })
    } finally {
      await rows.close()
    }
  } finally {
    await session.close()
  }
}

async function ingest(
  { catalogStore, gql, samplesMax, users }: ImportWorkDeps,
  connector: ImportConnector,
  run: WorkingRun,
  given: {
    readonly samples: GatheredSamples
    readonly csv?: string
    readonly rows?: ResultRows
  },
): Promise<void> {
  const { id, orgUid, procs } = connector
  const { lastRunMs } = await readImportState(catalogStore, run.key)
  const { csv = null, rows, samples } = given
  try {
    await gql.run({
      ...textOf(connector),
      principal: await users.principalOf(connector),
      organizationUid: orgUid,
      now: epochMs(run.start),
      isDry: false,
      samplesMax,
      signal: run.signal,
      resultRows: rows === undefined ? undefined : () => rows.read(),
      variables: new Map<string, string | bigint | null>([
        ['@JDBC_RESULT', csv],
        ['@LAST_RUN_DATE', BigInt(lastRunMs)],
        ['@CONNECTOR_ID', id],
      ]),
      onSamples: (some) => samples.add(some),
    })
  } catch (error) {
    throw placeInProc(error, procs)
  }
}

/** The text of a connector, under which it is kept compiled. */
function textOf({ procs, revision, uid }: ImportConnector) {
  const allows = { insert: true, stored: true }
  return { ...programOf(procs), allows, key: `${uid} ${revision}` }
}
