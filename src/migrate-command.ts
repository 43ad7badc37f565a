/** `weir migrate influx`: copies a database of a running InfluxDB 1.x into a running Weir. */
import { resolve } from 'node:path'
import { systemClock } from './base/index.ts'
import { type ParsedLine, printResult, readSecret, UsageMistake } from './cli/index.ts'
import { migrateInflux, Unreachable } from './migrate/index.ts'

const PROGRESS_EVERY_MS = 1_000
const WEIR_URL = 'http://127.0.0.1:8080'
/** The codes of sysexits.h for data that are not right, and for what may be tried again. */
const EXIT_DIFFERING = 65
const EXIT_AGAIN = 75

/** Copies the database that the line names, or what is missing of it. */
export async function runMigrateInflux({ options, isJson }: ParsedLine): Promise<void> {
  const [from, to] = [readUrl(options.url[0]), readUrl(options.to?.[0] ?? WEIR_URL)]
  const [database] = options.db
  const user = options.user?.[0] ?? ''
  const progressPath = resolve(options.progress?.[0] ?? progressName(database))
  const password = user === '' ? '' : await readSecret('INFLUX_PASSWORD', `the password of ${user}`)
  const key = await readSecret('WEIR_KEY', 'an API key of Weir')
  const places = { from, to, database, user, password, key }
  try {
    const onProgress = reportProgress()
    const { version, totals } = await migrateInflux({ ...places, progressPath, onProgress })
    const filled = Object.fromEntries(Object.entries(totals).filter(hasEntries))
    const shown = { from: `InfluxDB ${version} at ${from.href}`, database, to: to.href }
    const result = { ...shown, ...filled, progress: progressPath }
    const isEqual = totals.differing === 0 && totals.rejected === 0
    console.log(isJson ? JSON.stringify({ success: isEqual, result }) : printResult(result))
    process.exitCode = isEqual ? 0 : EXIT_DIFFERING
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    const message = `${error.message}. Run the same command again to continue`
    if (isJson) console.log(JSON.stringify({ success: false, message, code: 'store_away' }))
    else console.error(message)
    process.exitCode = EXIT_AGAIN
  }
}

function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageMistake(`"${text}" is no URL such as http://127.0.0.1:8086`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageMistake(
      'The URL contains a credential. Use --user, INFLUX_PASSWORD, and WEIR_KEY',
    )
  }
  return url
}

/** A name of a database may contain what names of files may not. */
function progressName(database: string): string {
  return `migrate-${database.replace(/[^\w.-]/g, '_')}.progress`
}

/** Leaves out empty lists. */
function hasEntries([, value]: [string, unknown]): boolean {
  return !Array.isArray(value) || value.length > 0
}

/** Reports the progress on standard error, once a second. */
function reportProgress(): (what: string) => void {
  let toldAtMs = systemClock.elapsed()
  return (what) => {
    const now = systemClock.elapsed()
    if (now - toldAtMs < PROGRESS_EVERY_MS) return
    toldAtMs = now
    console.error(what)
  }
}
