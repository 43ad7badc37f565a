import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startChildService } from '../../support/child-service.ts'
import { INFLUX_USER, influxdbSkip, startInfluxdb } from '../../support/influxdb-server.ts'
import { keepablePort } from '../../support/port.ts'
import { Random, testSeeds } from '../../support/random.ts'
import { type Service, startService } from '../../support/service.ts'
import { comesTrue } from '../../support/settle.ts'
import { storedSamples } from '../../support/stored-samples.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runWeir, startWeir } from '../../support/weir-command.ts'

type Server = Awaited<ReturnType<typeof startInfluxdb>>

describe('weir migrate influx', { skip: influxdbSkip() }, () => {
  let influx: Server
  let service: Service
  before(async () => {
    influx = await startInfluxdb()
    service = await startService()
  })
  after(async () => {
    await influx.stop()
    await service.close()
  })

  /** Runs the command to its end, in a folder of its own. */
  async function migrate(words: readonly string[], settings: Record<string, string> = {}) {
    const env = { WEIR_KEY: service.feedKey, ...settings }
    const progress = join(temporaryFolder(), 'progress')
    const place = ['--to', service.url, '--progress', progress, '--json']
    const { code, out, err } = await startWeir(
      'unused',
      ['migrate', 'influx', ...place, ...words],
      env,
    ).done
    return { code, err, body: out === '' ? undefined : JSON.parse(out), progress }
  }

  test('copies types, tags, and policies, and lists what Weir cannot keep', async () => {
    await influx.query('CREATE DATABASE kinds')
    await influx.query('CREATE RETENTION POLICY old ON kinds DURATION INF REPLICATION 1')
    const lines = [
      'm,host=k1 v=1.5,n=3i,ok=true,text="a \\"b\\" \\\\ c\nd" 1700000000000000000',
      'm,host=k1 v=2 1700000001000000000',
      'm,host=k1 v=3 1700000001000000999',
      'm,host=k1,b=x v=-7 -1500000',
      'm,host=k1 big=9223372036854775807i 5000000',
      'odd"m\\,e\\ s,host=k1,ta"g=v\'a\\=l\\ ue a\\ b\\=c\\,d=1 6000000',
      '%,domain=sensor,entity_id=hall value=20,note_str="a" 7000000',
      '%,domain=sensor,entity_id=hall value=21,note_str="a" 8000000',
      '%,domain=sensor,entity_id=hall value=21,note_str="b" 9000000',
      'mixed,host=k1 f=1 1000000000',
    ]
    await influx.write('db=kinds', lines.join('\n'))
    await influx.write(
      'db=kinds&rp=old',
      'm,host=k1,z=1 v=9 1600000000000000000\nmixed,host=k1 f="t" 2000000000',
    )
    const { code, body, err } = await migrate([influx.url, '--db', 'kinds'])
    assert.equal(code, 65, err + JSON.stringify(body))
    assert.equal(body.success, false)
    const { series, points, samples, rounded, replacedInSameMillisecond, rejected } = body.result
    assert.deepEqual(
      { series, points, samples, rounded, replacedInSameMillisecond, rejected },
      { series: 6, points: 18, samples: 16, rounded: 1, replacedInSameMillisecond: 1, rejected: 1 },
    )
    assert.deepEqual(body.result.differences, ['mixed,host=k1 f: 1 samples instead of 2'])
    assert.match(body.result.rejections[0], /^mixed,host=k1: .*holds DOUBLE.* \(1 lines\)$/)
    assert.deepEqual(body.result.sharedMilliseconds, ['m,host=k1: 1 values'])
    assert.deepEqual(await storedSamples(service, 'k1'), {
      m_big: [[5, 2 ** 63]],
      m_n: [[1700000000000, 3]],
      m_ok: [[1700000000000, true]],
      m_text: [[1700000000000, 'a "b" \\ c\nd']],
      m_v: [
        [1700000000000, 1.5],
        [1700000001000, 3],
      ],
      'm_v,b=x': [[-2, -7]],
      'm_v,z=1': [[1600000000000, 9]],
      mixed_f: [[1000, 1]],
      'odd"m,e s_a b=c,d,ta"g=v\'a\\=l ue': [[6, 1]],
    })
    assert.deepEqual(await storedSamples(service, 'sensor.hall'), {
      note_str: [
        [7, 'a'],
        [9, 'b'],
      ],
      value: [
        [7, 20],
        [8, 21],
        [9, 21],
      ],
    })
  })

  test('finds what is not the same, and copies nothing twice', async () => {
    await influx.query('CREATE DATABASE twice')
    await influx.write('db=twice&precision=ms', 'm,host=t1 v=1 1000\nm,host=t1 v=2 2000')
    const first = await migrate([influx.url, '--db', 'twice'])
    assert.equal(first.code, 0, first.err)
    const url = `${service.url}/write?precision=ms`
    const headers = { Authorization: `Token ${service.feedKey}` }
    await fetch(url, { method: 'POST', headers, body: 'm,host=t1 v=3 1500' })
    const done = await migrate([influx.url, '--db', 'twice', '--progress', first.progress])
    assert.equal(done.code, 64, 'an option that is there twice')
    const words = ['migrate', 'influx', influx.url, '--db', 'twice', '--json', '--to', service.url]
    const again = [...words, '--progress', first.progress]
    const skipped = await startWeir('unused', again, { WEIR_KEY: service.feedKey }).done
    assert.equal(skipped.code, 0, skipped.err)
    const anew = await migrate([influx.url, '--db', 'twice'])
    assert.equal(anew.code, 65)
    assert.deepEqual(anew.body.result.differences, ['m,host=t1 v: 3 samples instead of 2'])
  })

  test('goes on after kills of the command, of InfluxDB, and of Weir', async (t) => {
    const [seed] = testSeeds(1)
    t.diagnostic(`seed ${seed}`)
    const random = new Random(seed)
    const expected = new Map<string, [number, number][]>()
    const lines: string[] = []
    for (let at = 0; at < 60; at++) {
      const samples: [number, number][] = []
      for (let time = 0; time < 60_000; time += random.integer(1, 100)) {
        samples.push([time, random.integer(-1e6, 1e6) / 8])
      }
      for (const [time, value] of samples) lines.push(`m,host=kill,s=${at} v=${value} ${time}`)
      expected.set(`m_v,s=${at}`, samples)
    }
    await influx.query('CREATE DATABASE kills')
    await influx.write('db=kills&precision=ms', lines.join('\n'))
    const dataDir = temporaryFolder()
    const settings = { WEIR_PORT: String(await keepablePort()), WEIR_RATE_LIMITS: 'off' }
    let weir = await startChildService(dataDir, settings)
    t.after(() => weir.kill())
    const added = await runWeir(dataDir, 'key', 'add', 'migration')
    const feedKey = /secret +(\S+)/.exec(added.out)?.[1] ?? assert.fail(added.err)
    const progress = join(temporaryFolder(), 'progress')
    const doneCount = () =>
      existsSync(progress) ? readFileSync(progress, 'utf8').split('\n').length - 2 : 0
    const place = ['--to', weir.url, '--progress', progress, '--json']
    const words = ['migrate', 'influx', influx.url, '--db', 'kills', ...place]
    const start = () => startWeir(dataDir, words, { WEIR_KEY: feedKey })
    for (const count of [5, 15]) {
      const command = start()
      await comesTrue(() => doneCount() >= count)
      command.child.kill('SIGKILL')
      await command.done
    }
    assert.ok(doneCount() < expected.size, 'nothing was left to do')
    const command = start()
    await comesTrue(() => doneCount() >= 25)
    await influx.restart()
    await comesTrue(() => doneCount() >= 35)
    await weir.kill()
    weir = await startChildService(dataDir, settings)
    const { code, out, err } = await command.done
    assert.equal(code, 0, err + out)
    const points = lines.length
    const { result } = JSON.parse(out)
    assert.deepEqual(
      [result.series, result.points, result.samples, result.differing],
      [expected.size, points, points, 0],
    )
    const stored = await storedSamples({ url: weir.url, feedKey }, 'kill')
    assert.deepEqual(stored, Object.fromEntries([...expected].sort(([a], [b]) => (a < b ? -1 : 1))))
  })

  test('takes the password from the environment, and refuses what it cannot use', async (t) => {
    const locked = await startInfluxdb({ asksForPassword: true })
    t.after(() => locked.stop())
    await locked.query('CREATE DATABASE mine')
    await locked.write('db=mine&precision=ms', 'm,host=locked v=1 1000')
    const mine = [locked.url, '--db', 'mine']
    const named = [...mine, '--user', INFLUX_USER.name]
    const INFLUX_PASSWORD = INFLUX_USER.password
    const done = await migrate(named, { INFLUX_PASSWORD })
    assert.equal(done.code, 0, done.err)
    const cases: [RegExp, number, readonly string[], Record<string, string>?][] = [
      [/rejected the credentials/, 1, mine],
      [/rejected the credentials/, 1, named, { INFLUX_PASSWORD: 'wrong' }],
      [/Set INFLUX_PASSWORD to the password of reader/, 64, named],
      [/Set WEIR_KEY/, 64, mine, { WEIR_KEY: '' }],
      [
        /no database "other".*Databases: .*mine/,
        1,
        [locked.url, '--db', 'other', ...named.slice(3)],
        { INFLUX_PASSWORD },
      ],
      [/Weir at .* answered 401.*GET and PUT/, 1, named, { INFLUX_PASSWORD, WEIR_KEY: 'wrong' }],
      [
        /Cannot reach .*ECONNREFUSED/,
        75,
        [`http://127.0.0.1:${await keepablePort()}`, '--db', 'x'],
      ],
      [/contains a credential/, 64, ['http://a:b@127.0.0.1:1', '--db', 'x']],
      [/no URL/, 64, ['127.0.0.1', '--db', 'x']],
    ]
    for (const [message, code, words, settings] of cases) {
      const answer = await migrate(words, settings)
      assert.equal(answer.code, code, answer.err)
      assert.match(answer.body.message, message)
      assert.ok(!existsSync(answer.progress))
    }
  })

  test('refuses servers of other versions, and the progress file of another migration', async (t) => {
    const server = createServer((_asked, reply) => {
      reply.writeHead(204, { 'X-Influxdb-Version': 'v2.7.4' }).end()
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const second = await migrate([`http://127.0.0.1:${port}`, '--db', 'x'])
    assert.equal(second.code, 1)
    assert.match(second.body.message, /is no InfluxDB 1.x: it is version v2.7.4/)
    await influx.query('CREATE DATABASE one')
    await influx.query('CREATE DATABASE two')
    const { progress } = await migrate([influx.url, '--db', 'one'])
    const words = ['migrate', 'influx', influx.url, '--db', 'two', '--to', service.url]
    const other = [...words, '--progress', progress]
    const { code, err } = await startWeir('unused', other, { WEIR_KEY: service.feedKey }).done
    assert.equal(code, 1)
    assert.match(err, /belongs to the migration from .* database one/)
  })
})
