/** A thread for findStructureProblems(): on a big catalog it takes seconds. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { findStructureProblems } from './catalog-structure.ts'

const db = new DatabaseSync((workerData as { file: string }).file, {
  readOnly: true,
  timeout: 5_000,
})
const problems = findStructureProblems(db)
db.close()
parentPort?.postMessage(problems)
