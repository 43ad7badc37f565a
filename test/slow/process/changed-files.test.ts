import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { changedFiles } from '../../../tools/test/changed-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('changedFiles() names files that are changed, removed, new, and both names of a renamed one', () => {
  const cwd = temporaryFolder()
  const git = (...words: string[]) => execFileSync('git', words, { cwd, stdio: 'ignore' })
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  git('init')
  for (const name of ['same', 'changed', 'removed', 'old']) write(name, `the text of ${name}\n`)
  git('add', '.')
  const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com']
  git(...author, 'commit', '-m', 'first')
  write('changed', 'another text')
  write('grün.ts', '')
  rmSync(join(cwd, 'removed'))
  renameSync(join(cwd, 'old'), join(cwd, 'new'))
  git('add', 'new', 'old')
  assert.deepEqual(changedFiles('HEAD', cwd).sort(), [
    'changed',
    'grün.ts',
    'new',
    'old',
    'removed',
  ])
})
