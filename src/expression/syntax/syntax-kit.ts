/** What reads expressions, and what a language around them is made with; it loads Chevrotain. */
export { between, ExpressionGrammar, nameOfToken, spanOf, textOf } from './expression-grammar.ts'
export * as tokens from './expression-tokens.ts'
export { type ScanVocabulary, scanExpression } from './scan-expression.ts'
export { TreeBuilder } from './tree-builder.ts'
