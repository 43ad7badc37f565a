import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageSizes } from '../../ports/storage-port.ts'
import { PAYLOAD_FILE } from '../payloads/open-payload-file.ts'

/** Looks at the sizes in a folder that may be in use; bodies of files are too many to be looked at. */
export async function measureFolder(folder: string): Promise<StorageSizes> {
  const { bavail, bsize } = await statfs(folder)
  const journal = await sizesIn(join(folder, 'journal'))
  const quarantine = await sizesIn(join(folder, 'quarantine'))
  return {
    catalog: await databaseSize(folder, 'catalog.db'),
    samples: await databaseSize(folder, 'samples.db'),
    journal: sumOf([...journal.values()]),
    journalSegments: [...journal.keys()].filter((name) => name.endsWith('.seg')).length,
    payloads: await databaseSize(folder, PAYLOAD_FILE),
    quarantine: sumOf([...quarantine.values()]),
    free: bavail * bsize,
  }
}

async function databaseSize(folder: string, name: string): Promise<number> {
  return (await sizeOf(join(folder, name))) + (await sizeOf(join(folder, `${name}-wal`)))
}

async function sizesIn(folder: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const name of await readdir(folder).catch(() => []))
    sizes.set(name, await sizeOf(join(folder, name)))
  return sizes
}

/** 0 for what has gone meanwhile. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0
}

function sumOf(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0)
}
