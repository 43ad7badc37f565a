/** An nginx of its own for a test. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually } from './settle.ts'

/** Whether nginx is installed. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).error === undefined
}

/** Why a test is skipped, or false. */
export const nginxSkip = (): string | false => (hasNginx() ? false : 'nginx is not installed')

/** Runs nginx with lines of its `http` block until the test ends; resolves when it listens at the port. */
export async function startNginx(t: TestContext, lines: string, port: number): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'weir-nginx-'))
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  for (const name of folders) mkdirSync(join(home, name))
  const paths = folders.map((name) => `${name}_temp_path ${join(home, name)};`).join(' ')
  const file = join(home, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; pid ${home}/pid; error_log stderr warn; events {}
    http { access_log off; ${paths} ${lines} }`,
  )
  const child = spawn('nginx', ['-c', file, '-p', home], { stdio: ['ignore', 'ignore', 'inherit'] })
  const gone = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGTERM')
    await gone
    rmSync(home, { recursive: true })
  })
  await eventually(async () => {
    assert.equal(child.exitCode, null, 'nginx ended')
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
    } finally {
      socket.destroy()
    }
  })
}
