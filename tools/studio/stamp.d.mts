export const distFolder: string
export const STAMP_NAME: string
export function studioStamp(): string | undefined
export function builtStamp(): string | undefined
