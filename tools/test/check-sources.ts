import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestCommand } from './read-test-command.ts'

/** Types of the service and of the studio, format and lint; whether all is well. What is wrong is printed. */
export async function checkSources({ changedSince }: TestCommand): Promise<boolean> {
  // The studio knows the API by types that are made of the service.
  if (!(await succeeds(process.execPath, ['tools/studio/make-types.ts']))) return false
  const lint = ['check', '.']
  if (changedSince !== undefined) {
    lint.push('--changed', `--since=${changedSince}`, '--no-errors-on-unmatched')
  }
  const results = await Promise.all([
    succeeds('tsc', ['--noEmit', '--incremental', '--tsBuildInfoFile', buildInfo('service')]),
    succeeds('tsc', ['-p', 'studio', '--incremental', '--tsBuildInfoFile', buildInfo('studio')]),
    succeeds('biome', lint),
  ])
  return results.every(Boolean)
}

const buildInfo = (name: string): string => `node_modules/.cache/weir-types/${name}.json`

async function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  const [status] = await once(spawn(command, args, { stdio: 'inherit' }), 'close')
  return status === 0
}
