import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { errorCatalogue } from '../../src/base/index.ts'

test('docs/errors.md lists every code of the catalogue with its status, and no other', () => {
  const rows = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| ([a-z_]+) \| (\d{3}) \|/gm)]
  const documented = rows.map((row) => `${row[1]} ${row[2]}`).sort()
  const catalogued = Object.entries(errorCatalogue).map(
    ([code, entry]) => `${code} ${entry.status}`,
  )
  assert.deepEqual(documented, catalogued.sort())
})
