import { registerSqlFunctions } from '../functions/register-functions.ts'
import { loadSource } from '../source/load-source.ts'
import { serveRunner } from './serve-runner.ts'

/** Begins to serve calls: the code of a runner, once it is loaded. */
export function startRunner(): void {
  serveRunner({ registerFunctions: registerSqlFunctions, loadSource })
}
