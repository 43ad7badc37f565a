/** Names in the table of single values of samples.db, which sealer and readers share. */
export const SEALED_SEGMENT = 'sealed_segment'
export const SEALED_SEQUENCE = 'sealed_sequence'
export const SEALED_CHECK = 'sealed_check'
export const TOUCHED_SUM = 'touched_sum'
