/** The process of SharedProcess: runs a main file for each message, and answers with its outcome. */
import { pathToFileURL } from 'node:url'
import type { SharedRun } from './shared-process.ts'

const EXIT = new Error('The main file has ended the process')
const ownEnv = { ...process.env }
let [runs, out, err] = [0, '', '']
let isRunning = false

function end(code: number): void {
  if (!isRunning) return
  isRunning = false
  process.channel?.ref()
  process.send?.({ code, out, err })
}

process.exit = (code) => {
  end(Number(code ?? process.exitCode ?? 0))
  // Nothing behind the exit is run.
  throw EXIT
}
process.on('unhandledRejection', (error) => {
  if (error !== EXIT) throw error
})
process.stdout.write = (text: unknown) => {
  out += text
  return true
}
process.stderr.write = (text: unknown) => {
  err += text
  return true
}

process.on('message', ({ main, words, settings }: SharedRun) => {
  runs += 1
  isRunning = true
  out = ''
  err = ''
  process.exitCode = undefined
  process.argv = [process.execPath, main, ...words]
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, ownEnv, settings)
  // Each run listens to the outputs of its process.
  for (const output of [process.stdout, process.stderr]) output.removeAllListeners('error')
  // A process has nothing left to wait for when it ends by itself; this one waits for the next message.
  process.removeAllListeners('beforeExit')
  process.once('beforeExit', () => end(Number(process.exitCode ?? 0)))
  process.channel?.unref()
  // Another query is another module to Node: it runs again, over modules that are loaded.
  void import(`${pathToFileURL(main)}?run=${runs}`)
})
