import type { Catalog } from '../../catalog/index.ts'
import { expressionCheckShape } from '../../catalog/record/index.ts'
import type { Gate } from '../admit/gate.ts'
import { needs } from '../admit/needs.ts'
import type { App } from '../app-type.ts'
import { answersOf, operation } from '../openapi/answer-schema.ts'
import { envelope } from '../wire/envelope.ts'
import { expressionCheckRecord, expressionFunctionRecord } from '../wire/expression-answers.ts'
import { documented } from './record-routes.ts'

interface Deps {
  readonly catalog: Catalog
  readonly gate: Gate
}

const tags = ['expression']
const NOUN = 'expression'

/** Adds what an editor of expressions asks: whether one can be used, and which functions there are. */
export function expressionRoutes(app: App, { catalog, gate }: Deps): void {
  const onRequest = gate.guard('admin')
  const check = {
    ...operation('getExpressionCheck', answersOf(NOUN, expressionCheckRecord).one),
    ...needs('GET', 'component'),
    tags,
    summary: 'Check an expression: its type, or the place of its first mistake; runs nothing',
    body: expressionCheckShape,
  }
  app.post('/api/expression/check', { ...documented(check), onRequest }, async (request) =>
    envelope(NOUN, await catalog.checkExpression(request.principal, request.body)),
  )
  const list = {
    ...operation('listExpressionFunctions', answersOf('function', expressionFunctionRecord).page),
    ...needs('GET', 'component'),
    tags,
    summary: 'The functions of expressions, for completion',
  }
  app.get('/api/expression/function', { onRequest, schema: list }, async ({ principal }) => {
    const functions = await catalog.listExpressionFunctions(principal)
    return envelope('function', functions, functions.length)
  })
}
