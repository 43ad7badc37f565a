/** A piece of the composition root: who answers which command of the command line. */

import type { OpenedStores } from './assembly/opened-storage.ts'
import { type Command, type CommandResult, runCommand } from './auth/administer/index.ts'
import type { Identity } from './auth/index.ts'
import { answerCheck, CHECK_COMMANDS, type CheckParts } from './cli/index.ts'
import { BACKUP_COMMANDS } from './store/embedded/index.ts'

/** Follows a command that came over the socket of the running service. */
export async function runServiceCommand(
  parts: CheckParts & {
    readonly identity: Identity
    readonly stores: Pick<OpenedStores, 'backups'>
  },
  command: Command,
): Promise<CommandResult> {
  const { name, options } = command
  if (CHECK_COMMANDS.includes(name)) return { ...answerCheck(parts, name) }
  if (BACKUP_COMMANDS.includes(name))
    return { ...parts.stores.backups.answer(name, options?.id?.[0]) }
  return runCommand(parts.identity, command)
}
