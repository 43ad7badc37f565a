import { after, before, test } from 'node:test'
import { catalogTables } from '../../../src/store/cassandra/catalog/catalog-tables.ts'
import { catalogStoreContract } from '../../contract/catalog-store-contract.ts'
import { cassandraSkip, openTestKeyspace, type TestKeyspace } from '../../support/cassandra.ts'
import { makeCatalogHome } from './home.ts'

const skip = cassandraSkip()
let keyspace: TestKeyspace

if (skip !== false) test('the catalog on Cassandra', { skip }, () => {})
else {
  before(async () => {
    keyspace = await openTestKeyspace('catalog', catalogTables)
  })
  after(() => keyspace?.dispose())
  catalogStoreContract('cassandra catalog', () => makeCatalogHome(keyspace.cluster))
}
