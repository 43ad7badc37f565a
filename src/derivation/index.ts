export { CatalogGraph } from './catalog-graph.ts'
export { isProblem } from './derivation-plan.ts'
