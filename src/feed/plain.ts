/** The part of this folder that threads share: what needs neither catalog nor store. All others name the whole, index.ts. */
export { keepsAnyNumber, settleComputed, Unsettled } from './value/settle-computed.ts'
