import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { TestContext } from 'node:test'

const DISK_BYTES = 200 * 1024 * 1024

/** A file system of its own in a file. */
export interface SmallDisk {
  readonly folder: string
  readonly device: string
}

function run(command: string, ...words: string[]): string {
  const done = spawnSync(command, words, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command}: ${done.stderr}${done.error ?? ''}`)
  return done.stdout.trim()
}

/** Mounts a small ext4 that turns read-only on errors; undefined where that is not allowed. */
export function mountDisk(t: TestContext): SmallDisk | undefined {
  const root = mkdtempSync(join(tmpdir(), 'weir-disk-'))
  const [image, folder] = [join(root, 'image'), join(root, 'disk')]
  t.after(() => {
    spawnSync('umount', ['-l', folder])
    rmSync(root, { recursive: true, force: true })
  })
  try {
    mkdirSync(folder)
    writeFileSync(image, '')
    truncateSync(image, DISK_BYTES)
    run('mkfs.ext4', '-q', '-F', '-m', '0', image)
    run('mount', '-o', 'loop,errors=remount-ro', image, folder)
    return { folder, device: basename(run('findmnt', '-n', '-o', 'SOURCE', folder)) }
  } catch (error) {
    t.skip(`no disk of its own can be mounted here: ${(error as Error).message.split('\n')[0]}`)
    return undefined
  }
}

/** Fills a disk as another program would: to the last block, or so that some bytes are left. */
export function fillDisk(folder: string, name = 'filler', leftBytes = 0): string {
  const file = join(folder, name)
  const { bavail, bsize } = statfsSync(folder)
  const blocks = Math.floor(bavail - leftBytes / bsize)
  // Blocks that are taken without being written. Where few are left, those of the file's own index are missing.
  if (blocks > 0) spawnSync('fallocate', ['-l', String(blocks * bsize), file])
  if (leftBytes === 0)
    spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=64k', 'oflag=append', 'conv=notrunc'])
  return file
}
