import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'

/** Checks types, format and lint, prints what is wrong, and answers whether all is well. Format and lint read only the given files. */
export async function checkSources(changed: readonly string[] = ['.']): Promise<boolean> {
  // The studio knows the API by types that are made of the service.
  if (!(await succeeds(process.execPath, ['tools/studio/make-types.ts']))) return false
  // Not its own --changed, which compares commits and passes over what is not committed yet.
  const lint = ['check', '--no-errors-on-unmatched', '--files-ignore-unknown=true']
  const linted = changed.filter((file) => existsSync(file))
  const results = await Promise.all([
    succeeds('tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', buildInfo('service')]),
    succeeds('tsc', ['-p', 'studio', '--incremental', '--tsBuildInfoFile', buildInfo('studio')]),
    linted.length === 0 || succeeds('biome', [...lint, '--', ...linted]),
  ])
  return results.every(Boolean)
}

const buildInfo = (name: string): string => `node_modules/.cache/weir-types/${name}.json`

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const [status] = await once(spawn(command, args, { stdio: 'inherit' }), 'close')
  return status === 0
}
