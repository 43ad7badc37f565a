import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../src/base/index.ts'
import { openCatalogStore } from '../../src/store/embedded/index.ts'
import { type CatalogStore, holdForMove, ServingSlot } from '../../src/store/index.ts'

async function openCatalog(t: TestContext): Promise<{ catalog: CatalogStore; clock: ManualClock }> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-slots-'))
  const clock = new ManualClock(1_700_000_000_000)
  const catalog = await openCatalogStore({ folder, clock })
  t.after(async () => {
    await catalog.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { catalog, clock }
}

const onLost = () => assert.fail('a lease was lost')

test('ServingSlot.take() gives each process a slot of its own, and one that is let go again', async (t) => {
  const { catalog, clock } = await openCatalog(t)
  const take = (holder: string) => ServingSlot.take({ catalog, clock, holder, onLost })
  const [a, b] = [await take('a'), await take('b')]
  assert.deepEqual([a.slot, b.slot], [0, 1])
  assert.ok(a.isHeld())
  await a.close()
  const c = await take('c')
  assert.deepEqual([c.slot, c.fence > a.fence], [0, true])
  clock.advance(30_001)
  assert.equal(b.isHeld(), false)
  await b.close()
  await c.close()
})

test('holdForMove() refuses while a process serves, and keeps others from serving', async (t) => {
  const { catalog, clock } = await openCatalog(t)
  const serve = () => ServingSlot.take({ catalog, clock, holder: 'server', onLost })
  const move = (holder: string) => holdForMove({ catalog, clock, holder, onLost })
  const slot = await serve()
  await assert.rejects(move('mover'), /stop all of them first/)
  await slot.close()
  const held = await move('mover')
  await assert.rejects(serve(), /are being moved/)
  await assert.rejects(move('other'), /by another process/)
  await held.close()
  const again = await serve()
  assert.equal(again.slot, 0)
  await again.close()
})
