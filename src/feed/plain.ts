/** The part of this folder that threads share: what needs neither catalog nor store. All others name the whole, index.ts. */
export {
  IncomingSamples,
  type OpenSeries,
  type OpenTarget,
  OpenTargets,
  type SampleRun,
  type TargetRules,
  VALUE_EMPTY,
  VALUE_FALSE,
  VALUE_LONG_NUMBER,
  VALUE_NULL,
  VALUE_NUMBER,
  VALUE_SPECIAL,
  VALUE_TEXT,
  VALUE_TRUE,
} from './put/incoming-samples.ts'
export { EXACT_DIGITS, isShownBy } from './value/number-text.ts'
export { keepsAnyNumber, settleComputed, Unsettled } from './value/settle-computed.ts'
