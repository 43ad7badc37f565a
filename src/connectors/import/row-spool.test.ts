import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { RowSpool } from './row-spool.ts'

test('RowSpool gives rows back as often as they are asked for, and leaves nothing in its folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-spool-'))
  const spool = await RowSpool.open(folder)
  try {
    const batches = [
      [['a"b\n', null, 'ü😀']],
      [
        ['1', '', '2'],
        ['3', null, ''],
      ],
    ]
    for (const rows of batches) await spool.add(rows)
    await spool.add([])
    assert.deepEqual(await Array.fromAsync(spool.rows()), batches)
    assert.deepEqual(await Array.fromAsync(spool.rows()), batches)
    assert.deepEqual(readdirSync(folder), [])
  } finally {
    await spool.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
