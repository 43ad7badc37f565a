import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DerivationPlan,
  isProblem,
  type PlanProblem,
  type PlanVariable,
} from './derivation-plan.ts'

test('isProblem() distinguishes a plan from the reason why there is none', () => {
  const variables: readonly PlanVariable[] = []
  const plan = { variables } as Partial<DerivationPlan> as DerivationPlan
  const problem: PlanProblem = { problem: 'variable "a" reads a stream that is gone' }
  assert.equal(isProblem(plan), false)
  assert.equal(isProblem(problem), true)
})
