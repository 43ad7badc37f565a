/**
 * Prometheus scrapes three targets and writes while the service is stopped and killed: every sample of its own storage
 * is in Weir, bit for bit. With `WEIR_TEST_ROUNDS=nightly` it takes ten minutes, and the service is stopped for two.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type ChildService, startChildService } from '../support/child-service.ts'
import { keepablePort } from '../support/port.ts'
import { Random, roundsBy } from '../support/random.ts'
import { startServiceOn } from '../support/service-on.ts'
import { comesTrue } from '../support/settle.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runWeir } from '../support/weir-command.ts'
import { obtainPrometheus2, obtainPrometheus3 } from './metric-programs.ts'
import { type Prometheus, type StoredSeries, startPrometheus } from './prometheus-process.ts'
import { startTargets } from './scraped-targets.ts'
import { exampleFor } from './writer-programs.ts'

const MINUTES = roundsBy({ everyRun: 1, nightly: 10 })
const KILLS = 3
/** Of the whole time, as long as the service is stopped. */
const STOPPED_SHARE = 0.2
const STALE = 0x7ff0000000000002n
/** Reads that end with all samples of a series: far more than a test scrapes. */
const SAMPLES_MAX = 100_000

const programs = [
  { name: 'Prometheus 2, version 1.0', at: 0, ...(await obtainPrometheus2()) },
  { name: 'Prometheus 3, version 2.0', at: 1, ...(await obtainPrometheus3()) },
]
test('no sample is lost or changed by a stop and kills', { concurrency: true }, async (t) => {
  const runs = programs.map((program) =>
    t.test(program.name, { skip: program.skip }, (inner) => scrapeAndCompare(inner, program)),
  )
  await Promise.all(runs)
})

async function scrapeAndCompare(
  t: TestContext,
  { path, at }: (typeof programs)[number],
): Promise<void> {
  const random = new Random(Number(process.env.WEIR_TEST_SEED ?? Date.now() % 2 ** 31))
  t.diagnostic(`seed ${random.seed}`)
  const dataDir = temporaryFolder()
  const port = await keepablePort()
  const settings = { WEIR_PORT: String(port), WEIR_RATE_LIMITS: 'off' }
  const service = await startChildService(dataDir, settings)
  const added = await runWeir(dataDir, 'key', 'add', 'prometheus')
  const feedKey = /secret +(\S+)/.exec(added.out)?.[1] ?? assert.fail(added.out + added.err)
  const remote = exampleFor({ port, feedKey }, { heading: 'Prometheus', language: 'yaml', at })
  const targets = await startTargets(t, random)
  const prometheus = await startPrometheus(t, path, configOf(targets, remote))
  const last = await trouble(t, service, () => startChildService(dataDir, settings))
  // Targets that are gone leave stale markers, if their job stays.
  await prometheus.configure(configOf([], remote))
  const stored = await untilStale(prometheus)
  await untilSent(prometheus)
  await last.kill()
  await compare(t, dataDir, stored.filter(isSentBy(remote)))
  const failed = await prometheus.metric('prometheus_remote_storage_samples_failed_total')
  const retried = await prometheus.metric('prometheus_remote_storage_samples_retried_total')
  assert.equal(failed, 0)
  assert.ok(retried > 0, 'no write failed')
  t.diagnostic(`${retried} samples were sent again`)
}

function configOf(targets: readonly string[], remote: string): string {
  const list = `    static_configs:\n      - targets: ${JSON.stringify(targets)}\n`
  const pace = 'global:\n  scrape_interval: 1s\n  scrape_timeout: 900ms\n'
  return `${pace}scrape_configs:\n  - job_name: hall\n${list}${remote}`
}

/** Stops the service for a while and kills it some times; returns the last one. */
async function trouble(
  t: TestContext,
  first: ChildService,
  start: () => Promise<ChildService>,
): Promise<ChildService> {
  const span = MINUTES * 60_000
  const between = (span * (1 - STOPPED_SHARE)) / (KILLS + 2)
  let service = first
  t.after(() => service.kill())
  await pause(between)
  assert.equal(await service.stop(), 0)
  await pause(span * STOPPED_SHARE)
  service = await start()
  for (let kills = 0; kills < KILLS; kills++) {
    await pause(between)
    await service.kill()
    service = await start()
  }
  await pause(between)
  return service
}

/** Waits until every series has ended; returns all. */
async function untilStale(prometheus: Prometheus): Promise<readonly StoredSeries[]> {
  let stored: readonly StoredSeries[] = []
  await comesTrue(async () => {
    stored = await prometheus.readAll()
    return stored.every(({ samples }) => samples.at(-1)?.[1] === STALE)
  })
  return stored
}

/** Waits until all that Prometheus holds has been written. */
async function untilSent(prometheus: Prometheus): Promise<void> {
  const metric = (name: string) => prometheus.metric(`prometheus_remote_storage_${name}`)
  await comesTrue(async () => {
    const sent = await metric('queue_highest_sent_timestamp_seconds')
    const held = await metric('highest_timestamp_in_seconds')
    return sent === held && (await metric('samples_pending')) === 0
  })
}

/** Whether the relabeling of a configuration keeps a series. */
function isSentBy(remote: string): (series: StoredSeries) => boolean {
  const dropped = /regex: (\S+)\n +action: drop\n/.exec(remote)?.[1]
  const pattern = dropped === undefined ? undefined : new RegExp(`^(?:${dropped})$`)
  return ({ labels }) => pattern?.test(labels.__name__) !== true
}

async function compare(t: TestContext, dataDir: string, stored: readonly StoredSeries[]) {
  const { app, close } = await startServiceOn(dataDir)
  t.after(close)
  const [{ uid: orgUid }] = app.identity.organizations.list()
  const found = await app.catalog.findSeries(
    orgUid,
    stored.map(({ labels }) => labels),
  )
  let [samples, specials] = [0, 0]
  for (const [at, { labels, samples: expected }] of stored.entries()) {
    const { handle } = found[at] ?? assert.fail(`${JSON.stringify(labels)} is missing`)
    const all = { from: 0, until: Number.MAX_SAFE_INTEGER, limit: SAMPLES_MAX }
    const { count, times, values } = await app.feed.readWithSpecials(handle, all)
    const bits = new BigUint64Array(values.slice(0, count).buffer)
    const read = Array.from({ length: count }, (_, place) => [times[place], bits[place]])
    assert.deepEqual({ labels, samples: read }, { labels, samples: expected })
    samples += count
    specials += expected.filter(
      ([, one]) => (one & 0x7ff0000000000000n) === 0x7ff0000000000000n,
    ).length
  }
  assert.ok(stored.length > 50, `only ${stored.length} series`)
  assert.ok(specials > 50, `only ${specials} special values`)
  t.diagnostic(`${samples} samples of ${stored.length} series, ${specials} of them special`)
}
