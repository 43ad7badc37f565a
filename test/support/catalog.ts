import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Principal, userPrincipal } from '../../src/access/index.ts'
import { ManualClock } from '../../src/base/index.ts'
import { type Catalog, openCatalog, type People } from '../../src/catalog/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import type { CatalogStore } from '../../src/store/index.ts'

/** The owner of every organization in catalog tests. */
export const people: People = {
  ownerOf: async () => ({ uid: 'owner', name: 'Ann Owner', timeZoneId: 'Europe/Berlin' }),
  nameOf: async (userUid) => (userUid === 'owner' ? 'Ann Owner' : ''),
}

/** A user who may do everything in an organization. */
export function ownerOf(orgUid: string): Principal {
  return userPrincipal({ orgUid, userUid: 'owner', role: 'OWNER' })
}

/** A catalog on a real store in a folder of its own. */
export interface OpenedCatalog {
  catalog: Catalog
  store: CatalogStore
  readonly clock: ManualClock
  /** Closes the store and opens both again. */
  restart(): Promise<void>
}

/** Runs a test with a catalog that is cleared away afterwards. */
export async function withCatalog(run: (opened: OpenedCatalog) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-catalog-'))
  const clock = new ManualClock(1_700_000_000_000)
  const open = async () => {
    const store = await openCatalogStore({ folder, clock })
    return { store, catalog: await openCatalog({ store, people, clock }) }
  }
  const opened: OpenedCatalog = {
    ...(await open()),
    clock,
    restart: async () => {
      await opened.store.close()
      Object.assign(opened, await open())
    },
  }
  try {
    await run(opened)
  } finally {
    await opened.store.close()
    await rm(folder, { recursive: true, force: true })
  }
}
