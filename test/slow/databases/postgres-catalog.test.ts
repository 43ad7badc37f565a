import { test } from 'node:test'
import { catalogStoreContract } from '../../contract/catalog-store-contract.ts'
import { makeCatalogHome } from '../../support/postgres-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { isNightly } from '../../support/random.ts'

const skip = postgresqlSkip()

if (skip !== false) test('the catalog in PostgreSQL', { skip }, () => {})
else catalogStoreContract('postgres catalog', () => makeCatalogHome(isNightly ? 1 : 0.3))
