export type {
  CreatedComponent,
  CreationRules,
  PreparedComponent,
  PreparedStream,
  WantedComponent,
  WantedStream,
} from './creation-plan.ts'
