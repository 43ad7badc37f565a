import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageMistake } from './parse-command.ts'

/** A secret from the environment, or typed at a prompt that does not show it; never from the command line. */
export async function readSecret(variable: string, what: string): Promise<string> {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return given
  if (!process.stdin.isTTY) throw new UsageMistake(`Set ${variable} to ${what}`)
  process.stderr.write(`${what} (${variable}): `)
  const silent = new Writable({ write: (_part, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await prompt.question('')
  } finally {
    prompt.close()
    process.stderr.write('\n')
  }
}
