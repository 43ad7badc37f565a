import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresBroadcast } from '../../../src/store/postgres/index.ts'
import { makePostgresHome } from '../../support/postgres-home.ts'
import { postgresqlSkip } from '../../support/postgresql-server.ts'
import { comesTrue } from '../../support/settle.ts'

test('PostgresBroadcast brings texts up to its bound to every other process, in order', {
  skip: postgresqlSkip(),
}, async () => {
  const home = await makePostgresHome()
  const databases = await Promise.all(Array.from({ length: 3 }, () => home.open()))
  const peers = databases.map((database) => new PostgresBroadcast(database))
  const heard = peers.map((peer) => {
    const texts: string[] = []
    peer.onText((text) => texts.push(text))
    return texts
  })
  try {
    // A notice that is sent before a process listens is lost: the first ones are sent until all have heard.
    await comesTrue(() => {
      peers[0].tell(['hello'])
      return heard[1].includes('hello') && heard[2].includes('hello')
    })
    const longest = 'ü'.repeat(peers[0].textBytesMax >> 1)
    const texts = [...Array.from({ length: 250 }, (_, at) => `text ${at}`), longest]
    peers[0].tell(texts)
    await comesTrue(() => heard[1].includes(longest) && heard[2].includes(longest))
    for (const one of [heard[1], heard[2]]) {
      assert.deepEqual(
        one.filter((text) => text !== 'hello'),
        texts,
      )
    }
    assert.deepEqual(heard[0], [])
  } finally {
    for (const peer of peers) await peer.close()
    for (const database of databases) await database.close()
    await home.dispose()
  }
})
