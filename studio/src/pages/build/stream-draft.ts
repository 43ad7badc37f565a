import type { Schema } from '../../api/paths.ts'

/** A stream as an editor has it: of a component or of a template. */
export type StreamDraft = Schema<'TemplateStream'>

/** A stream of which nothing is said yet. */
export const blankStream: StreamDraft = {
  uid: '',
  id: '',
  name: '',
  description: '',
  streamType: 'rdm_stream',
  valueType: '',
  unit: null,
  baseCycle: null,
  rollupMethod: 'avg',
  streamDerivationType: 'NONE',
  delete_profile: null,
  location: null,
} as StreamDraft
