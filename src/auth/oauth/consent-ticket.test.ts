import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CatalogConflict } from '../../store/index.ts'
import { takeTicket } from './consent-ticket.ts'
import type { OAuthBase } from './oauth-base.ts'

/** A store with one ticket that expires at 10, whose removal fails as given. */
function baseWith(failure?: Error): OAuthBase {
  const store = {
    get: async () => ({ revision: 1, expiresAtMs: 10, body: { userUid: 'u' } }),
    commit: async () => {
      if (failure !== undefined) throw failure
    },
  }
  return { store, clock: { now: () => 5 } } as unknown as OAuthBase
}

test('takeTicket() gives a ticket to one of those who take it at the same time', async () => {
  assert.deepEqual(await takeTicket(baseWith(), 'secret'), { userUid: 'u' })
  const taken = new CatalogConflict({ orgUid: '', kind: 'oauth_ticket', uid: 't' }, undefined)
  assert.equal(await takeTicket(baseWith(taken), 'secret'), undefined)
})

test('takeTicket() rejects when the store fails, and does not report a ticket that is gone', async () => {
  await assert.rejects(takeTicket(baseWith(new Error('disk')), 'secret'), /disk/)
})
