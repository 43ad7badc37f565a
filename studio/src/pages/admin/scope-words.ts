const WORDS: Readonly<Record<string, string>> = {
  'feed:read': 'read samples and properties',
  'feed:write': 'send and delete them',
  admin: 'administer',
}

/** What a service may do for a person, by the words of its scope. */
export function scopeWords(scope: string): string {
  const words = scope.split(' ').filter((word) => word !== '')
  if (words.length === 0 || words.length === Object.keys(WORDS).length) return 'everything you may'
  return words.map((word) => WORDS[word] ?? word).join(', ')
}
