import { spawnSync } from 'node:child_process'

let isReached: boolean | undefined

/** Whether npm can fetch packages: tests that install need it. */
export function reachesNpmRegistry(): boolean {
  isReached ??=
    spawnSync('npm', ['view', 'fastify', 'version', '--fetch-retries=0', '--fetch-timeout=15000'])
      .status === 0
  return isReached
}

/** Whether there is a git to clone with. */
export function hasGit(): boolean {
  return spawnSync('git', ['--version']).status === 0
}
