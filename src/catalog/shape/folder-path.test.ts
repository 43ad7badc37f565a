import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogFolder, storedFolder } from './folder-path.ts'

test('storedFolder() is the path below the root folder, and catalogFolder() undoes it', () => {
  const check = (path: string, stored: string) => {
    assert.equal(storedFolder(path), stored)
    assert.equal(catalogFolder(stored), path)
  }
  check('/Components', '')
  check('/Components/site', '/site')
  check('/Components/site/Components', '/site/Components')
})
