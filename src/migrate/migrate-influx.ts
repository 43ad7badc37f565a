import { InfluxSource } from './influx-source.ts'
import { migrateSeries } from './migrate-series.ts'
import { MigrationProgress } from './migration-progress.ts'
import { WeirTarget } from './weir-target.ts'

/** From where to where a database is copied, and by whom. */
interface InfluxMigration {
  readonly from: URL
  readonly database: string
  readonly user: string
  readonly password: string
  readonly to: URL
  readonly key: string
  /** The file that a repeated migration continues from. */
  readonly progressPath: string
  onProgress(what: string): void
}

/** What a migration came to, with those before it that it has continued. */
interface MigrationReport {
  readonly version: string
  readonly totals: MigrationProgress['totals']
}

/** Copies a database series by series; those that are finished by the progress file are left out. */
export async function migrateInflux(migration: InfluxMigration): Promise<MigrationReport> {
  const { from, to, key, database, user, password, progressPath } = migration
  const source = new InfluxSource({ url: from, database, user, password })
  const target = new WeirTarget(to, key)
  const version = await source.check()
  await target.check()
  const route = { from: `${from.href} database ${database}`, to: to.href }
  const progress = await MigrationProgress.open(progressPath, route)
  const policies = await source.policies()
  const measurements = await source.measurements()
  for (const [at, measurement] of measurements.entries()) {
    const columns = await source.fields(measurement, policies)
    if (columns.length === 0) continue
    const tagKeys = await source.tagKeys(measurement)
    const schema = { measurement, columns, tagKeys, policies }
    const shown = `measurement ${at + 1} of ${measurements.length}`
    for await (const series of source.series(measurement)) {
      if (progress.has(series)) continue
      const onCopied = (points: number) =>
        migration.onProgress(
          `${shown}, ${progress.totals.series} series, now ${series}: ${points} points`,
        )
      onCopied(0)
      progress.add(await migrateSeries({ source, target, schema, onCopied }, series))
    }
  }
  return { version, totals: progress.totals }
}
