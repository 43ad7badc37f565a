import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Refusal } from '../base/index.ts'
import { PasswordHasher } from './password.ts'
import { RecordCache } from './record-cache.ts'
import { SecretBox } from './secret-box.ts'

test('verify() knows the password and nothing else, and never says yes without an account', async () => {
  const hasher = new PasswordHasher()
  const hash = await hasher.hash('correct horse é')
  assert.match(hash, /^\$argon2id\$v=19\$m=32768,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.equal(await hasher.verify('correct horse é', hash), true)
  assert.equal(await hasher.verify('correct horse e\u0301', hash), true)
  assert.equal(await hasher.verify('Correct horse é', hash), false)
  assert.equal(await hasher.verify('', hash), false)
  assert.equal(await hasher.verify('', undefined), false)
  assert.notEqual(await hasher.hash('same'), await hasher.hash('same'))
})

test('hash() refuses work beyond its queue instead of piling it up', async () => {
  const hasher = new PasswordHasher()
  const results = await Promise.allSettled(
    Array.from({ length: 53 }, (_, at) =>
      hasher.verify(
        'x',
        '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
        { name: `network ${at}`, isKnown: false },
      ),
    ),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 2)
  for (const { reason } of refused as PromiseRejectedResult[]) {
    assert.ok(reason instanceof Refusal && reason.status === 429)
  }
  assert.equal(await hasher.verify('x', undefined), false)
})

test('SecretBox opens what it sealed, only with its key, its owner and every byte', () => {
  const box = new SecretBox(randomBytes(32))
  const sealed = box.seal('the secret', 'api_key 1')
  assert.ok(!sealed.includes('secret'))
  assert.equal(box.open(sealed, 'api_key 1'), 'the secret')
  assert.notEqual(box.seal('the secret', 'api_key 1'), sealed)
  assert.throws(() => box.open(sealed, 'api_key 2'))
  assert.throws(() => new SecretBox(randomBytes(32)).open(sealed, 'api_key 1'))
  const flipped = sealed.slice(0, 10) + (sealed[10] === 'A' ? 'B' : 'A') + sealed.slice(11)
  assert.throws(() => box.open(flipped, 'api_key 1'))
})

test('RecordCache keeps nothing that was forgotten while it was read', async () => {
  let stored = 'old'
  const gates: Array<() => void> = []
  const cache = new RecordCache<string>({
    sizeMax: 10,
    load: async () => {
      const read = stored
      await new Promise<void>((resolve) => gates.push(resolve))
      return read
    },
  })
  const reading = cache.find('a')
  stored = 'new'
  cache.forget('a')
  gates[0]()
  assert.equal(await reading, 'old')
  assert.equal(cache.peek('a'), undefined)
})

test('RecordCache stays bounded and keeps what is used', async () => {
  let loads = 0
  const load = async (key: string) => {
    loads += 1
    return key
  }
  const cache = new RecordCache<string>({ sizeMax: 100, load })
  for (let at = 0; at < 1_000; at += 1) {
    await cache.find(`key ${at}`)
    await cache.find('busy')
  }
  assert.equal(loads, 1_001)
  assert.ok([...cache.values()].length <= 101)
})
