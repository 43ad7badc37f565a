// Alone: all services that its tests start keep their data in a cluster.
/**
 * The suites of the API over HTTP, with a cluster behind every service. Some files run each time, all of them in
 * `npm run test:nightly`. A test that must differ says why by `onCluster()`; docs/cluster.md lists the differences.
 */
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { SharedClock } from '../../../src/store/index.ts'
import { reachedFrom, readImportGraph } from '../../../tools/test/import-graph.ts'
import { isNightly } from '../../support/random.ts'
import { keepServicesIn } from '../../support/service.ts'
import { clusterSkip } from '../../support/test-cluster.ts'
import { ServicePlaces } from './service-places.ts'

const EVERY_RUN = [
  'test/api/connector/sink.test.ts',
  'test/api/feed/contract-*.test.ts',
  'test/api/feed/statistic.test.ts',
  'test/api/gql/select.test.ts',
]
const NIGHTLY = [
  'test/api/{alert,audit,catalog,connector,door,feed,file,gql,identity,live,oauth,promql}/*.test.ts',
  'test/{alerts,connectors,derivation,scenario,statistic}/*.test.ts',
  'test/slow/databases/import-{schedule,unchanged}.test.ts',
]
/** Look into files of the data folder. */
const OF_FOLDERS = [
  'test/api/connector/connection.test.ts',
  'test/api/feed/sealed-texts.test.ts',
  'test/api/file/file-{bad-input,damage,delete,left,put,quota,rights,streams}.test.ts',
  'test/connectors/import-record.test.ts',
  'test/statistic/mean-oracle.test.ts',
]

const skip = clusterSkip()
if (skip !== false) test('suites on a cluster', { skip }, () => {})
else {
  const places = new ServicePlaces()
  keepServicesIn(() => places.take())
  // Tests that set the clock of their service would get 503: PostgreSQL has the true time. clock.test.ts tests that.
  SharedClock.prototype.note = () => {}
  const files = globSync(isNightly ? NIGHTLY : EVERY_RUN, { exclude: OF_FOLDERS })
  const graph = readImportGraph()
  const onService = files.filter((file) => reachedFrom(graph, file).has('test/support/service.ts'))
  for (const file of onService.sort()) {
    // One after the other, as their tests belong to the suite only while no other file loads.
    await new Promise<void>((loaded) => {
      describe(`${file} on a cluster`, async () => {
        try {
          await import(pathToFileURL(resolve(file)).href)
        } finally {
          loaded()
        }
      })
    })
  }
}
