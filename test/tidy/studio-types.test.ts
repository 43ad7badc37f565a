import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { makeStudioTypes } from '../../tools/studio/make-types.ts'

test('the studio compiles with the types of the API as it is', async () => {
  await makeStudioTypes()
  const { stdout } = spawnSync(resolve('node_modules/.bin/tsc'), ['-p', 'studio'], {
    encoding: 'utf8',
  })
  assert.equal(stdout, '')
})
