import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldName } from '../../src/catalog/record/fold-name.ts'
import { foldText } from '../../studio/src/app/fold-text.ts'
import { missingWords, wordsOf } from '../../studio/src/app/match-words.ts'

test('foldText() takes case, marks and forms of writing off, and nothing else', () => {
  const pairs = [
    ['Ünïcode', 'unicode'],
    ['U\u0308NI\u0308CODE', 'unicode'],
    ['Łódź Ørsted', 'lodz orsted'],
    ['STRASSE', foldText('Straße')],
    ['ΟΔΟΣ', foldText('οδος')],
    ['İstanbul', 'istanbul'],
    ['Ｆｕｌｌ ﬁle', 'full file'],
    ['Ёлка', 'елка'],
    // Vowels of other scripts and voiced kana are letters of their own.
    ['कि', 'कि'],
    ['が', 'が'],
    ['高温', '高温'],
  ]
  for (const [text, folded] of pairs) assert.equal(foldText(text), folded, text)
  assert.notEqual(foldText('が'), foldText('か'))
  assert.deepEqual(missingWords('Halle / Ünïcode', wordsOf(' UNICODE  halle keller ')), ['keller'])
})

test('foldText() and the service fold every character alike, and once is enough', () => {
  for (let from = 0; from < 0x20000; from += 64) {
    const codes = Array.from({ length: 64 }, (_, at) => from + at)
    const text = codes
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
    const folded = foldText(text.join(' '))
    assert.equal(folded, foldName(text.join(' ')), `from U+${from.toString(16)}`)
  }
  for (const text of ['Ünïcode', 'Straße', 'ΟΔΟΣ', 'İ', 'ǅ', 'ﬃ']) {
    assert.equal(foldText(foldText(text)), foldText(text), text)
  }
})
