/** A piece of the composition root: who answers which command of the command line. */
import { type Command, type CommandResult, type Identity, runCommand } from './auth/index.ts'
import { answerCheck, CHECK_COMMANDS, type CheckParts } from './cli/index.ts'
import { BACKUP_COMMANDS, type BackupHolds } from './store/embedded/index.ts'

/** Follows a command that came over the socket of the running service. */
export async function runServiceCommand(
  parts: CheckParts & { readonly backups: BackupHolds; readonly identity: Identity },
  command: Command,
): Promise<CommandResult> {
  const { name, options } = command
  if (CHECK_COMMANDS.includes(name)) return { ...answerCheck(parts, name) }
  if (BACKUP_COMMANDS.includes(name)) return { ...parts.backups.answer(name, options?.id?.[0]) }
  return runCommand(parts.identity, command)
}
