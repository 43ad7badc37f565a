/** Random puts, deletes and restarts against a few maps; every stream must read the same. */
import { test } from 'node:test'
import { ManualClock } from '../../../src/base/index.ts'
import { followModel, MODEL_NOW } from '../../support/feed-model.ts'
import { startService } from '../../support/service.ts'

test('PUT, DELETE and GET follow a plain model through restarts', async (t) => {
  const clock = new ManualClock(MODEL_NOW)
  const service = await startService({ clock })
  t.after(() => service.close())
  await followModel(service, clock, 10)
})
