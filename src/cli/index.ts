export {
  answerCheck,
  CHECK_COMMANDS,
  type CheckParts,
  type CheckState,
  followCheck,
  showCheckResult,
} from './check.ts'
export { commands, type ParsedLine, parseCommand, UsageMistake } from './parse-command.ts'
export { printResult } from './print-result.ts'
export { readSecret } from './read-secret.ts'
export { type CommandAnswer, sendCommand } from './send-command.ts'
export { usageText } from './usage-text.ts'
