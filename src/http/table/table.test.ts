import assert from 'node:assert/strict'
import { test } from 'node:test'
import { httpOperation } from './http-operation.ts'
import { OperationTable } from './table.ts'

const open = { callers: 'anyone', run: () => '' } as const
const table = new OperationTable()
table.add(
  httpOperation({ ...open, name: 'one', methods: ['GET'], path: '/api/thing/:uid' }),
  httpOperation({ ...open, name: 'blank', methods: ['GET'], path: '/api/thing/new' }),
  httpOperation({ ...open, name: 'change', methods: ['POST'], path: '/api/thing/:uid' }),
  httpOperation({
    ...open,
    name: 'add',
    methods: ['PUT'],
    path: '/api/thing',
    aliases: ['/old/thing'],
  }),
  httpOperation({
    ...open,
    name: 'named',
    methods: ['GET'],
    hasHead: false,
    path: '/api/c/:compId/s/:streamId',
    undecodable: (name) => `Cannot decode ${name}`,
  }),
  httpOperation({ ...open, name: 'page', methods: ['GET'], path: '/c/*', isPage: true }),
)

function found(method: string, url: string): string | undefined {
  const match = table.find(method, url)
  return match && `${match.operation.name} ${JSON.stringify(match.ids)} ${match.query}`
}

test('find() takes the most exact path, decodes IDs, and keeps the query as it was sent', () => {
  assert.equal(found('GET', '/api/thing/new?a=%20&b'), 'blank {} a=%20&b')
  assert.equal(found('GET', '/api/thing/a%2Fb%20%F0%9F%94%A5'), 'one {"uid":"a/b 🔥"} ')
  assert.equal(found('POST', '/api/thing/new'), 'change {"uid":"new"} ')
  assert.equal(found('HEAD', '/api/thing/x'), 'one {"uid":"x"} ')
  assert.equal(found('GET', '/%61pi/thin%67/x'), 'one {"uid":"x"} ')
  assert.equal(found('GET', '/api/thing/'), 'one {"uid":""} ')
  assert.equal(found('PUT', '/old/thing'), 'add {} ')
  assert.equal(found('PUT', '/api/thing#part?x=1'), 'add {} x=1')
  assert.equal(found('GET', '/c/a/b'), 'page {"*":"a/b"} ')
})

test('find() finds nothing at other paths, other methods, and other spellings of them', () => {
  const others = [
    ['DELETE', '/api/thing/x'],
    ['get', '/api/thing/x'],
    ['GET', '/API/thing/x'],
    ['GET', '/api%2Fthing/x'],
    ['GET', '/api/thing/x/'],
    ['GET', '/api/thing'],
    ['HEAD', '/api/c/a/s/b'],
    ['GET', '/c'],
    ['GET', ''],
  ] as const
  for (const [method, url] of others)
    assert.equal(found(method, url), undefined, `${method} ${url}`)
})

test('find() refuses a path that cannot be decoded, in the words of its operation', () => {
  const check = (url: string, message: RegExp) =>
    assert.throws(() => table.find('GET', url), { code: 'bad_input', message })
  check('/api/c/%zz/s/b', /^Cannot decode compId$/)
  check('/api/c/a/s/%', /^Cannot decode streamId$/)
  check('/api/thing/%ff', /invalid percent encoding/)
  check('/nowhere/%zz', /invalid percent encoding/)
})

test('methodsOf() lists all methods of a path, and isServed() finds the paths that programs request', () => {
  assert.deepEqual(table.methodsOf('/api/thing/new').sort(), ['GET', 'HEAD', 'POST'])
  assert.deepEqual(table.methodsOf('/old/thing'), ['PUT'])
  assert.deepEqual(table.methodsOf('/nowhere'), [])
  assert.equal(table.isServed('/api/nowhere'), true)
  assert.equal(table.isServed('/c/x'), false)
})
