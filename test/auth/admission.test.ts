import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdmissionCall } from '../../src/auth/index.ts'
import { ManualClock } from '../../src/base/index.ts'
import { startService } from '../support/service.ts'

test('Admission lets a call in without HTTP: caller and limit, or a refusal', async (t) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 15))
  const settings = { WEIR_RATE_LIMITS: 'feed=2/1h' }
  const service = await startService({ clock, settings })
  t.after(() => service.close())
  const { admission } = service.app.identity
  const call = (value: string | undefined, more: Partial<AdmissionCall> = {}): AdmissionCall => ({
    credential: value === undefined ? undefined : { kind: 'api_key', value, place: 'header' },
    org: undefined,
    address: '192.0.2.1',
    forwardedFor: undefined,
    countedAs: 'feed',
    ...more,
  })
  assert.equal(admission.admitNow(call(service.feedKey)), undefined)
  const first = await admission.admit(call(service.feedKey))
  assert.equal(first.caller?.principal.orgUid, service.orgUid)
  assert.deepEqual([first.limit?.limit, first.limit?.remaining], [2, 1])
  assert.equal(admission.admitNow(call(service.feedKey))?.limit?.remaining, 0)
  const spent = await admission.admit(call(service.feedKey))
  assert.equal(spent.caller, undefined)
  assert.equal(spent.refusal?.code, 'rate_limited')
  assert.equal(spent.limit?.remaining, 0)
  const other = await admission.admit(call(service.feedKey, { forwardedFor: 'a device' }))
  assert.equal(other.limit?.remaining, 1)
  const uncounted = await admission.admit(call(service.feedKey, { countedAs: undefined }))
  assert.notEqual(uncounted.caller, undefined)
  assert.equal(uncounted.limit, undefined)
  assert.equal((await admission.admit(call('no such key'))).refusal?.code, 'unauthorized')
  assert.equal((await admission.admit(call(undefined))).refusal?.code, 'unauthorized')
})
