/** A data folder with something of every kind, to be moved, and how services over it and its copies are compared. */
import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { openSampleStore } from '../../src/store/embedded/index.ts'
import { caller, signIn } from './caller.ts'
import { batch } from './samples.ts'
import { startService } from './service.ts'
import { startServiceOn } from './service-on.ts'
import { eventually } from './settle.ts'
import { askEverything, fillService } from './whole-service.ts'

/** When the last samples were put, of which nothing is derived yet. */
const NEWEST_MS = Date.UTC(2026, 0, 15, 13)

/** A folder that was filled, and a session of its owner. */
export interface MovedFolder {
  readonly folder: string
  readonly session: string
}

/** Fills a service on the folder and stops it, as a kill right after a put would. */
export async function makeMovedFolder(folder: string): Promise<MovedFolder> {
  const service = await startService()
  await fillService(service).catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  const { ownerEmail, ownerPassword, orgUid, dataDir, app } = service
  const session = await signIn(service, ownerEmail, ownerPassword)
  const handleOf = (id: string) => app.catalog.index.resolve(orgUid, 'north-house', id)
  const handles = ['temp', 'humidity'].map(handleOf)
  await app.close()
  cpSync(dataDir, folder, { recursive: true })
  rmSync(dataDir, { recursive: true })
  const samples = await openSampleStore({ folder, isSealedWhenWatched: true })
  await samples.append(batch(handles.map((handle, at) => [handle, NEWEST_MS, 20 + 40 * at])))
  await samples.appendSpecials(
    batch(
      handles.flatMap((handle) => [
        [handle, NEWEST_MS - 1, -1],
        [handle, NEWEST_MS + 1, 2],
      ]),
    ),
  )
  await samples.close()
  return { folder, session }
}

/** Starts a service on a folder, waits until what was put last is derived, and asks for everything. */
export async function answersOn(
  { folder, session }: MovedFolder,
  settings: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const service = await startServiceOn(folder, settings)
  try {
    const owner = caller(service, session)
    await eventually(async () => {
      const { text } = await owner('GET', '/api/comp/north-house/stream/dryness/last_value')
      assert.match(text, new RegExp(String(NEWEST_MS)))
    })
    return await askEverything(service, session)
  } finally {
    await service.close()
  }
}
