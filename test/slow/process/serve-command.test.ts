import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { runWeir, startWeir } from '../../support/weir-command.ts'

const home = temporaryFolder()

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>
}
const startWords = scripts.start.split(' ')

/** What a running process was started with. */
function startedWith(pid: number | undefined): { words: string[]; settings: string[] } {
  const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0')
  return { words: read('cmdline'), settings: read('environ') }
}

test('weir serve has the memory settings of npm start, and ends as it does', {
  skip: process.platform !== 'linux' && 'it reads /proc',
}, async () => {
  const { child, done } = startWeir(join(home, 'data'), ['serve'], {
    WEIR_PORT: '0',
    MALLOC_ARENA_MAX: '3',
  })
  let said = ''
  while (!said.includes('"listening"')) said += (await once(child.stdout ?? child, 'data'))[0]
  const { words, settings } = startedWith(child.pid)
  const flags = startWords.filter((word) => word.startsWith('--'))
  assert.ok(flags.length > 0)
  for (const flag of flags) assert.ok(words.includes(flag), `${flag} in ${words}`)
  const named = startWords
    .filter((word) => /^[A-Z_]+=/.test(word))
    .map((word) => word.split('=')[0])
  assert.ok(named.length >= 3)
  for (const name of named)
    assert.ok(
      settings.some((one) => one.startsWith(`${name}=`)),
      `${name} in ${settings}`,
    )
  assert.ok(settings.includes(startWords.find((word) => word.startsWith('MALLOC_MMAP')) ?? ''))
  assert.ok(settings.includes('MALLOC_ARENA_MAX=3'), 'a value of the user stays')
  child.kill('SIGTERM')
  assert.equal((await done).code, 0)
})

test('weir serve ends with the exit code of the service', async () => {
  const { code, err } = await startWeir(join(home, 'never'), ['serve'], { WEIR_PORT: 'eighty' })
    .done
  assert.equal(code, 78)
  assert.match(err, /WEIR_PORT must be/)
  assert.equal((await runWeir(join(home, 'never'), 'serve', 'more')).code, 64)
})
