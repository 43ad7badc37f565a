import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { childEnv } from '../../support/child-env.ts'

const CHILD = fileURLToPath(new URL('../../support/reader-child.ts', import.meta.url))

test('readJsonSamples() is overloaded where a reader finds no file handles, and reads once there are', (t) => {
  if (process.platform === 'win32') return t.skip('a shell of Unix bounds the handles')
  const limited = ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, CHILD]
  const ran = spawnSync('sh', limited, { env: childEnv, encoding: 'utf8' })
  assert.equal(ran.stdout, 'overloaded, 2 samples\n', ran.stderr)
})
