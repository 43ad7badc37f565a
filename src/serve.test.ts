import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { exitWith } from './serve.ts'
import { CatalogDamaged, StoreUnusable } from './store/index.ts'

/** The code that the process would end with, and what it says. */
function endOf(t: TestContext, error: unknown): { code: number; said: string } {
  const said: string[] = []
  t.mock.method(console, 'error', (text: string) => said.push(text))
  t.mock.method(process, 'exit', (code: number) => {
    throw code
  })
  try {
    exitWith(error)
  } catch (code) {
    return { code: code as number, said: said.join('\n') }
  } finally {
    t.mock.restoreAll()
  }
}

const failure = (fields: object, options?: ErrorOptions) =>
  Object.assign(new Error('it failed', options), fields)

test('exitWith() maps a disk that is full, read-only or failing to its code, also as a cause', (t) => {
  for (const code of ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO']) {
    assert.equal(endOf(t, failure({ code })).code, 74, code)
  }
  // SQLite: read-only, failing and full, with details in the bits above.
  for (const errcode of [8, 10, 13, 8 + (6 << 8), 10 + (4 << 8)]) {
    const { code, said } = endOf(t, failure({ errcode }))
    assert.equal(code, 74, `${errcode}`)
    assert.equal(said, 'Cannot start: it failed')
    assert.equal(endOf(t, failure({}, { cause: failure({ errcode }) })).code, 74)
  }
})

test('exitWith() chooses the code by who can help', (t) => {
  assert.equal(endOf(t, failure({ code: 'EMFILE' })).code, 71)
  assert.equal(endOf(t, failure({ code: 'EACCES' })).code, 77)
  assert.equal(endOf(t, failure({ code: 'EADDRINUSE', syscall: 'listen' })).code, 69)
  assert.equal(endOf(t, new CatalogDamaged('a row')).code, 65)
  assert.equal(endOf(t, new StoreUnusable('settings', 'no')).code, 78)
  const { code, said } = endOf(t, failure({ errcode: 1 }))
  assert.equal(code, 1)
  assert.match(said, /serve\.test\.ts/)
})
