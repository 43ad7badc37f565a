// Alone: it looks at what its process has loaded.
import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'

test('Chevrotain is loaded with the first text, not with the doors of sql and expression', async () => {
  const loaded: string[] = []
  const hooks = registerHooks({
    load: (url, context, nextLoad) => {
      loaded.push(url)
      return nextLoad(url, context)
    },
  })
  try {
    const hasParser = () => loaded.some((url) => url.includes('/chevrotain/'))
    const sql = await import('../../src/sql/index.ts')
    const { sqlFunctions } = await import('../../src/expression/index.ts')
    assert.ok(loaded.length > 10 && sqlFunctions.length > 0)
    assert.equal(hasParser(), false)
    assert.equal(sql.compileGsSql('SELECT 1').statements.length, 1)
    assert.equal(hasParser(), true)
  } finally {
    hooks.deregister()
  }
})
