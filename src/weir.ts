/** The command line: asks the running service, or opens the data folder itself when none runs. */
import { readFileSync } from 'node:fs'
import { Refusal, readConfig } from './base/index.ts'
import {
  type CommandAnswer,
  type ParsedLine,
  parseCommand,
  printResult,
  sendCommand,
  UsageMistake,
  usageText,
} from './cli/index.ts'

const EXIT_USAGE = 64

/** It mends a folder on which no service can run. */
const FOLDER_COMMAND = 'folder accept-loss'

type Options = ParsedLine['options']

async function main(): Promise<void> {
  const line = parseCommand(process.argv.slice(2))
  if (line.name === 'help') console.log(usageText)
  else if (line.name === 'serve') await (await import('./serve.ts')).serve()
  else await runLine(line)
}

async function runLine({ name, options, isJson }: ParsedLine): Promise<void> {
  const config = readConfig(process.env)
  const command = { name, options: withStandardInput(options) }
  const isForFolder = name === FOLDER_COMMAND
  const sent = isForFolder ? undefined : await sendCommand(config.dataDir, command)
  const answer = sent ?? (await runHere(command))
  if (isJson) console.log(JSON.stringify(answer))
  else if (answer.success) console.log(printResult(answer.result))
  else console.error(answer.message)
  process.exitCode = answer.success ? 0 : 1

  async function runHere(local: typeof command): Promise<CommandAnswer> {
    process.umask(0o077)
    // The service is loaded only here: a command that a running one answers needs none of it.
    const { acceptFolderLoss, openMaintenance } = await import('./app.ts')
    const { runCommand } = await import('./auth/index.ts')
    try {
      if (isForFolder) return { success: true, result: acceptFolderLoss(config) }
      const { identity, close } = await openMaintenance(config)
      const result = await runCommand(identity, local).finally(close)
      return { success: true, result }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { success: false, message: error.message, code: error.code }
    }
  }
}

/** A password given as "-" comes from standard input, so that no list of processes shows it. */
function withStandardInput(options: Options): Options {
  const read = (value: string) =>
    value === '-' ? readFileSync(0, 'utf8').split('\n', 1)[0] : value
  return Object.fromEntries(
    Object.entries(options).map(([name, values]) => [
      name,
      name.endsWith('password') ? values.map(read) : values,
    ]),
  )
}

main().catch(async (error: unknown) => {
  if (!(error instanceof UsageMistake)) return (await import('./serve.ts')).exitWith(error)
  console.error(`${error.message}\n\n${usageText}`)
  process.exit(EXIT_USAGE)
})
