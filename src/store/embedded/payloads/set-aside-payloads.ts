/** Unreadable payload databases: where they are put, and how that is reported until someone removes them. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../base/index.ts'
import { ProgressSlotFile } from '../damage/progress-file.ts'
import { PAYLOAD_FILE } from './open-payload-file.ts'

const QUARANTINE = 'quarantine'
const SET_ASIDE = /^payloads\.db-\d+$/

/** Sets payloads.db and its log aside; returns the new path. */
export function setPayloadsAside(folder: string): string {
  mkdirSync(join(folder, QUARANTINE), { recursive: true })
  const place = join(QUARANTINE, `${PAYLOAD_FILE}-${systemClock.now()}`)
  for (const ending of ['', '-wal']) {
    const file = join(folder, `${PAYLOAD_FILE}${ending}`)
    if (existsSync(file)) renameSync(file, join(folder, `${place}${ending}`))
  }
  rmSync(join(folder, `${PAYLOAD_FILE}-shm`), { force: true })
  // Reports the path of files that were set aside.
  const progress = new ProgressSlotFile(folder, 'payloadNumber')
  progress.forget()
  progress.close()
  return place
}

/** What earlier starts have set aside, as long as it is there. */
export function listSetAside(folder: string): string[] {
  const quarantine = join(folder, QUARANTINE)
  if (!existsSync(quarantine)) return []
  const names = readdirSync(quarantine).filter((name) => SET_ASIDE.test(name))
  return names.map(
    (name) =>
      `${QUARANTINE}/${name} has payloads that could not be read; delete it to stop this report`,
  )
}
