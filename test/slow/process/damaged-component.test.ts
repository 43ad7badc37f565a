import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Call, caller, signIn } from '../../support/caller.ts'
import { type Service, startService } from '../../support/service.ts'
import { runWeir } from '../../support/weir-command.ts'

const MANY = 140
const T = 1_700_000_000_000

interface Made {
  readonly service: Service
  readonly call: Call
  readonly uids: ReadonlyMap<string, string>
}

async function signedIn(service: Service): Promise<Call> {
  return caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
}

/** A row of the catalog that has an ID. */
interface DamagedRow {
  readonly table: 'component' | 'stream'
  readonly id: string
  /** For a stream, the ID of its component. */
  readonly of?: string
}

/** A service with three components, of which a row is then damaged. */
async function withDamage(row: DamagedRow, body: (made: Made) => Promise<void>): Promise<void> {
  const service = await startService()
  try {
    const call = await signedIn(service)
    const uids = new Map<string, string>()
    for (const id of ['alpha', 'beta', 'gamma']) {
      const count = id === 'gamma' ? MANY : 2
      const stream = Array.from({ length: count }, (_, at) => ({
        id: `s${at}`,
        valueType: 'DOUBLE',
      }))
      const made = await call('PUT', '/api/component', { component: { id, stream } })
      assert.equal(made.status, 200, made.text)
      uids.set(id, made.body.component.uid)
      assert.equal((await feed(service, 'PUT', `feed?compId=${id}&s1=7&time=${T}`)).status, 200)
    }
    await service.app.close()
    damage(service, row)
    await service.restart()
    await body({ service, call: await signedIn(service), uids })
  } finally {
    await service.close()
  }
}

/** Changes a bit of the checksum of what a start reads. */
function damage(service: Service, { table, id, of }: DamagedRow): void {
  using db = new DatabaseSync(join(service.dataDir, 'catalog.db'))
  const component = 'component = (SELECT ref FROM component WHERE id = ?)'
  const spoil = db.prepare(
    `UPDATE ${table} SET crc = crc + 1 WHERE id = ?${of === undefined ? '' : ` AND ${component}`}`,
  )
  const { changes } = spoil.run(id, ...(of === undefined ? [] : [of]))
  assert.equal(changes, 1)
}

async function feed(service: Service, method: string, path: string) {
  const query = `${path.includes('?') ? '&' : '?'}api_key=${service.feedKey}`
  const answer = await fetch(`${service.url}/api/${path}${query}`, { method })
  return { status: answer.status, text: await answer.text() }
}

async function check({ dataDir }: Service): Promise<string> {
  return (await runWeir(dataDir, 'check', '--json')).out
}

test('a component whose row is damaged is reported as damaged by every call, and others are served', async () => {
  await withDamage({ table: 'component', id: 'beta' }, async ({ service, call, uids }) => {
    const beta = uids.get('beta') ?? ''
    const calls: readonly (readonly [string, string, number])[] = [
      ...(['beta', 'unheard-of', 'alpha'] as const).flatMap((id) => {
        const status = { beta: 500, 'unheard-of': 404, alpha: 200 }[id]
        return [
          ['GET', `comp/${id}/stream/s1/feed`, status],
          ['GET', `comp/${id}/feed`, status],
          ['GET', `comp/${id}/last_value`, status],
          ['GET', `comp/${id}/property?name`, status],
        ] as const
      }),
      ['PUT', 'feed?compId=beta&s1=8', 500],
      ['PUT', 'feed?compId=beta&other=8', 500],
      ['PUT', 'feed?compId=delta&s=8', 200],
      ['GET', 'comp/delta/stream/s/feed', 200],
    ]
    for (const [method, path, status] of calls) {
      const answer = path.includes('property')
        ? await call(method, `/api/${path}`)
        : await feed(service, method, path)
      assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
      if (status === 500) assert.match(answer.text, /incident/i)
    }
    for (const path of [beta, `${beta}/stream`]) {
      assert.equal((await call('GET', `/api/component/${path}`)).status, 500)
    }
    const again = { component: { id: 'beta', stream: [] } }
    assert.equal((await call('PUT', '/api/component', again)).status, 500)
    const alpha = `/api/component/${uids.get('alpha')}`
    assert.equal((await call('POST', alpha, again)).status, 500)
    assert.equal((await call('POST', alpha, { component: { description: 'x' } })).status, 200)
    const { status, body } = await call('GET', '/api/component?limit=10')
    assert.equal(status, 200)
    const ids = body.component.map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, ['alpha', 'delta', 'gamma'])
    assert.equal(body.totalCount, 4)
    const output = JSON.stringify((await call('GET', '/api/storage')).body.storage.scrub.damaged)
    assert.match(output, /component \\"beta\\"/)
    const checked = await check(service)
    assert.match(checked, /component \\"beta\\"/)
    assert.ok(checked.includes(beta), checked)
  })
})

test('a stream whose row is damaged is reported as damaged, and others of its component are served', async () => {
  await withDamage(
    { table: 'stream', id: 's135', of: 'gamma' },
    async ({ service, call, uids }) => {
      const gamma = uids.get('gamma') ?? ''
      const calls: readonly (readonly [string, string, number])[] = [
        ['GET', 'comp/gamma/stream/s1/feed', 200],
        ['PUT', 'feed?compId=gamma&s1=9', 200],
        ['GET', 'comp/gamma/stream/s135/feed', 500],
        ['GET', 'comp/gamma/stream/s130/feed', 200],
        ['GET', 'comp/gamma/feed', 500],
        ['PUT', 'feed?compId=gamma&s135=9', 500],
        ['PUT', 'feed?compId=gamma&other=9', 500],
        ['GET', 'comp/alpha/stream/other/feed', 404],
        ['PUT', 'feed?compId=alpha&other=9', 200],
      ]
      for (const [method, path, status] of calls) {
        const answer = await feed(service, method, path)
        assert.equal(answer.status, status, `${method} ${path}: ${answer.text}`)
      }
      assert.equal((await call('GET', `/api/component/${gamma}/stream?limit=200`)).status, 500)
      const stream = { stream: { id: 's135', valueType: 'DOUBLE' } }
      assert.equal((await call('PUT', `/api/component/${gamma}/stream`, stream)).status, 500)
      assert.equal((await call('DELETE', `/api/component/${gamma}`)).status, 500)
      const { status, body } = await call('GET', '/api/component?limit=10')
      assert.equal(status, 200)
      assert.deepEqual(
        body.component.map(({ id }: { id: string }) => id),
        ['alpha', 'beta'],
      )
      assert.equal(body.totalCount, 3)
      assert.match(await check(service), /component \\"gamma\\"/)
    },
  )
})
