/**
 * Whether lists and objects of a JSON text lie deeper in each other than `depthMax`: a look before it is
 * parsed, which costs no memory. What is broken in the text is reported by the parser.
 */
export function isDeepJson(text: string, depthMax: number): boolean {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (isInText) {
      if (char === 0x5c) at += 1
      else if (char === 0x22) isInText = false
    } else if (char === 0x22) isInText = true
    else if (char === 0x7b || char === 0x5b) {
      depth += 1
      if (depth > depthMax) return true
    } else if (char === 0x7d || char === 0x5d) depth -= 1
  }
  return false
}
