/** The encodings that the header Accept-Encoding takes by name, in lower case. */
export function takenEncodings(acceptEncoding = ''): string[] {
  return acceptEncoding
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(?:\.0*)?$/.test(part))
    .map((part) => part.split(';')[0].trim())
}
