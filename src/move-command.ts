/** `weir move`: everything from a data folder to a cluster, or back; no service runs on either. */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { clusterPlaceOf } from './assembly/app-settings.ts'
import {
  openClusterSource,
  openClusterTarget,
  openFolderSource,
  takeFolderTarget,
} from './assembly/open-move-sides.ts'
import { type Config, readConfig, refuse, systemClock } from './base/index.ts'
import { type ParsedLine, printResult, UsageMistake } from './cli/index.ts'
import { type MoveReport, type MoveSource, type MoveTarget, moveEverything } from './move/index.ts'

const PROGRESS_EVERY_MS = 1_000
/** Differences that are listed; all are counted. */
const DIFFERENCES_SHOWN_MAX = 20
/** The codes of sysexits.h for data that are not right, and for what may be tried again. */
const EXIT_DIFFERING = 65
const EXIT_AGAIN = 75

const KEY_TO_CLUSTER =
  'secret.key is not stored in the cluster. Copy it from the data folder to every process of the cluster'
const KEY_TO_FOLDER =
  'secret.key was not moved. Copy it from a process of the cluster to the data folder before you start the service'

/** Moves everything to where the line says. */
export async function runMove({ options, isJson }: ParsedLine): Promise<void> {
  const [to, ...more] = options.to ?? []
  if ((to !== 'cluster' && to !== 'folder') || more.length > 0) {
    throw new UsageMistake('move needs --to cluster or --to folder')
  }
  const config = readConfig(process.env)
  if (config.cassandraHosts === undefined || config.postgresUrl === undefined) {
    const what =
      'move needs a cluster. Set WEIR_POSTGRES_URL, WEIR_CASSANDRA_HOSTS, and the keyspace'
    refuse('bad_input', { what })
  }
  process.umask(0o077)
  await using opened = new AsyncDisposableStack()
  const sides = await openSides(to, config, opened)
  const report = await moveEverything({ ...sides, onMoved: reportProgress() })
  const isEqual = report.differing.length === 0
  const shown = showReport(report, {
    ...sides,
    key: to === 'folder' ? KEY_TO_FOLDER : KEY_TO_CLUSTER,
  })
  if (isJson) console.log(JSON.stringify({ success: isEqual, result: shown }))
  else console.log(printResult(shown))
  process.exitCode = isEqual ? 0 : EXIT_DIFFERING
}

async function openSides(
  to: 'cluster' | 'folder',
  config: Config,
  opened: AsyncDisposableStack,
): Promise<{ source: MoveSource; target: MoveTarget }> {
  const opening = {
    place: clusterPlaceOf(config),
    onWaiting: (what: string) => console.error(`waiting: ${what}`),
    onLost: () => {
      console.error(
        'The cluster was unreachable for too long. Run the same command again to continue',
      )
      process.exit(EXIT_AGAIN)
    },
  }
  // The folder first, which nobody else has from then on.
  if (to === 'cluster') {
    const source = await openFolderSource(config, opened)
    const holder = `from ${source.identity}`
    return { source, target: await openClusterTarget({ ...opening, holder }, opened) }
  }
  const folder = await takeFolderTarget(config, opened)
  const holder = `to ${resolve(config.dataDir)} on ${hostname()}`
  const source = await openClusterSource({ ...opening, holder }, opened)
  return { source, target: await folder.open() }
}

function showReport(
  report: MoveReport,
  { source, target, key }: { source: MoveSource; target: MoveTarget; key: string },
): Readonly<Record<string, unknown>> {
  const { copied, differing, lostBodies, ...counts } = report
  const seconds = Math.max(1, copied.elapsedMs) / 1_000
  return {
    from: source.name,
    to: target.name,
    ...counts,
    copied: copied.samples,
    samplesPerSecond: Math.round(copied.samples / seconds),
    differing: differing.length,
    ...(differing.length === 0
      ? { key }
      : { differences: differing.slice(0, DIFFERENCES_SHOWN_MAX) }),
    ...(lostBodies.length === 0
      ? {}
      : { lostInSource: lostBodies.slice(0, DIFFERENCES_SHOWN_MAX) }),
  }
}

/** Prints progress on standard error, for each step and now and then. */
function reportProgress(): (what: string) => void {
  let toldAtMs = systemClock.elapsed()
  let phase = ''
  return (what) => {
    const elapsedMs = systemClock.elapsed()
    const [at] = what.split(':', 1)
    if (at === phase && elapsedMs - toldAtMs < PROGRESS_EVERY_MS) return
    toldAtMs = elapsedMs
    phase = at
    console.error(what)
  }
}
