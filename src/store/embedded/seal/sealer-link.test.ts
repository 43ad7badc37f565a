import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { startSealerThread } from './sealer-link.ts'
import type { SealerReply } from './sealer-protocol.ts'

const folder = temporaryFolder()

/** A link to a file, and its replies one after the other. */
function startLink(name: string) {
  const replies: SealerReply[] = []
  const deaths: unknown[] = []
  let wake = () => {}
  const link = startSealerThread(
    { file: join(folder, name), journalFolder: join(folder, 'journal') },
    undefined,
    {
      onReply(reply) {
        replies.push(reply)
        wake()
      },
      onDied(error) {
        deaths.push(error)
        wake()
      },
    },
  )
  const next = async (): Promise<SealerReply> => {
    while (replies.length === 0) {
      if (deaths.length > 0) throw deaths[0]
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
    return replies.shift() as SealerReply
  }
  return { link, next }
}

function watchedIn(name: string): unknown[] {
  using db = new DatabaseSync(join(folder, name), { readOnly: true })
  return db.prepare('SELECT stream FROM watched ORDER BY stream').all()
}

test('what is watched is kept, before there is a thread and by it', async () => {
  const { link, next } = startLink('watched.db')
  assert.deepEqual(await next(), { op: 'ready' })
  link.send({ op: 'watch', id: 1, handles: [3, 7] })
  assert.deepEqual(await next(), { op: 'watched', id: 1, what: undefined })
  link.send({ op: 'mend' })
  link.send({ op: 'watch', id: 2, handles: [7, 9] })
  assert.deepEqual(await next(), { op: 'mended', isDone: true, damages: [] })
  assert.deepEqual(await next(), { op: 'watched', id: 2, what: undefined })
  await link.close()
  assert.deepEqual(
    watchedIn('watched.db').map((row) => ({ ...(row as object) })),
    [{ stream: 7 }, { stream: 9 }],
  )
})

test('a file that is gone or replaced since the start is neither created nor written to', async () => {
  const { link, next } = startLink('gone.db')
  assert.deepEqual(await next(), { op: 'ready' })
  const other = startLink('other.db')
  assert.deepEqual(await other.next(), { op: 'ready' })
  await other.link.close()
  renameSync(join(folder, 'gone.db'), join(folder, 'away.db'))
  link.send({ op: 'seal', segments: [1], watched: [5] })
  const gone = await next()
  assert.match(gone.op === 'failed' ? gone.what : '', /gone\.db is gone since the start: put back/)
  assert.equal(existsSync(join(folder, 'gone.db')), false)
  renameSync(join(folder, 'other.db'), join(folder, 'gone.db'))
  link.send({ op: 'seal', segments: [1], watched: [5] })
  const replaced = await next()
  assert.match(replaced.op === 'failed' ? replaced.what : '', /gone\.db is another file since/)
  assert.deepEqual(watchedIn('gone.db'), [])
  rmSync(join(folder, 'gone.db'))
  renameSync(join(folder, 'away.db'), join(folder, 'gone.db'))
  renameSync(join(folder, 'gone.db-wal'), join(folder, 'away.db-wal'))
  link.send({ op: 'seal', segments: [1], watched: [5] })
  const logless = await next()
  assert.match(logless.op === 'failed' ? logless.what : '', /gone\.db-wal is gone since the start/)
  renameSync(join(folder, 'away.db-wal'), join(folder, 'gone.db-wal'))
  link.send({ op: 'mend' })
  assert.deepEqual(await next(), { op: 'mended', isDone: true, damages: [] })
  await link.close()
})

test('a file that cannot be opened is reported at once', async () => {
  mkdirSync(join(folder, 'folder.db'))
  const { link, next } = startLink('folder.db')
  await assert.rejects(next(), { code: 'ERR_SQLITE_ERROR' })
  await link.close()
})

test('a thread that cannot start refuses what it was asked for, and the next one may start', async () => {
  const { link, next } = startLink('moved.db')
  assert.deepEqual(await next(), { op: 'ready' })
  renameSync(join(folder, 'moved.db'), join(folder, 'aside.db'))
  mkdirSync(join(folder, 'moved.db'))
  link.send({ op: 'seal', segments: [4, 5], watched: [] })
  link.send({ op: 'mend' })
  link.send({ op: 'watch', id: 1, handles: [1] })
  const [seal, repair, watch] = [await next(), await next(), await next()]
  assert.ok(seal.op === 'failed' && seal.damages.length === 0)
  assert.match(
    seal.passing ?? '',
    /^the thread that seals cannot start: .*moved\.db is another file/,
  )
  assert.deepEqual(repair, { op: 'mended', isDone: false, damages: [] })
  assert.ok(watch.op === 'watched' && watch.what === seal.what)
  rmdirSync(join(folder, 'moved.db'))
  renameSync(join(folder, 'aside.db'), join(folder, 'moved.db'))
  link.send({ op: 'mend' })
  assert.deepEqual(await next(), { op: 'mended', isDone: true, damages: [] })
  await link.close()
})
