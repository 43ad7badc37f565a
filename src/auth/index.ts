export * from './oauth/index.ts'
