import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { newUid } from '../../base/index.ts'

/** A file for what is not held in memory, of which its folder shows nothing: it goes with the process. */
export async function openUnnamedFile(folder: string): Promise<FileHandle> {
  const path = join(folder, `${newUid()}.tmp`)
  const file = await open(path, 'wx+', 0o600)
  await rm(path, { force: true }).catch(async (cause: unknown) => {
    await file.close()
    throw cause
  })
  return file
}
