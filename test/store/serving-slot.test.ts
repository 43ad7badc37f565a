import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { type CatalogStore, holdForMove, takeServingSlot } from '../../src/store/index.ts'

async function openCatalog(t: TestContext): Promise<{ catalog: CatalogStore }> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-slots-'))
  const clock = new ManualClock(1_700_000_000_000)
  const catalog = await openCatalogStore({ folder, clock })
  t.after(async () => {
    await catalog.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { catalog }
}

const onLost = () => assert.fail('a lease was lost')

test('takeServingSlot() gives each process a slot of its own, and one that is let go again', async (t) => {
  const { catalog } = await openCatalog(t)
  const take = (holder: string) => takeServingSlot({ catalog, holder, onLost })
  const holderOf = (slot: number) => catalog.holderOf(`serving:${slot}`, 30_000)
  const holders = async () => [await holderOf(0), await holderOf(1), await holderOf(2)]
  const [a, b] = [await take('a'), await take('b')]
  assert.deepEqual(await holders(), ['a', 'b', undefined])
  await a.close()
  const c = await take('c')
  assert.deepEqual(await holders(), ['c', 'b', undefined])
  await b.close()
  await c.close()
  assert.deepEqual(await holders(), [undefined, undefined, undefined])
})

test('holdForMove() refuses while a process serves, and keeps others from serving', async (t) => {
  const { catalog } = await openCatalog(t)
  const serve = () => takeServingSlot({ catalog, holder: 'server', onLost })
  const move = (holder: string) => holdForMove({ catalog, holder, onLost })
  const slot = await serve()
  await assert.rejects(move('mover'), /stop all of them first/)
  await slot.close()
  const held = await move('mover')
  await assert.rejects(serve(), /are being moved/)
  await assert.rejects(move('other'), /by another process/)
  await held.close()
  await (await serve()).close()
})
