export {
  IncomingSamples,
  type OpenTarget,
  OpenTargets,
  VALUE_EMPTY,
  VALUE_FALSE,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_TEXT,
  VALUE_TRUE,
} from './incoming-samples.ts'
