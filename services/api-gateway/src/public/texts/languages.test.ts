import { describe, expect, test } from '@jest/globals'
import { languages, languageTags } from './languages.ts'

/** Texts by their path. Parameters of a text are replaced by `<1>` and `<2>`. */
function textsByPath(value: unknown, path: string): Map<string, string> {
  if (typeof value === 'string') return new Map([[path, value]])
  if (typeof value === 'function') return new Map([[path, String(value('<1>', '<2>'))]])
  const members = Object.entries(value as object)
  return new Map(members.flatMap(([name, member]) => [...textsByPath(member, `${path}.${name}`)]))
}

const english = textsByPath(languages.en, 'en')
const others = languageTags.filter((tag) => tag !== 'en')
/** Texts that may be equal in English and another language: names and words of both languages. */
const sharedWords = new Set(['STARTTLS', 'Port', 'Server', '<1>: <2>.'])

describe.each(others)('texts in %s', (tag) => {
  const texts = textsByPath(languages[tag], 'en')

  test('have the paths of the English texts', () =>
    expect([...texts.keys()].toSorted()).toEqual([...english.keys()].toSorted()))

  test('are not English', () => {
    const equal = [...texts].filter(
      ([path, text]) => text === english.get(path) && !sharedWords.has(text),
    )
    expect(equal).toEqual([])
  })

  test('contain each parameter once', () => {
    const parametersOf = (text = '') => [...text.matchAll(/<\d>/g)].map(String).toSorted()
    for (const [path, text] of texts)
      expect([path, parametersOf(text)]).toEqual([path, parametersOf(english.get(path))])
  })

  test('contain the numbers, names and addresses of the English texts', () => {
    const factsOf = (text = '') =>
      (
        text.match(/https:[^\s.]*(?:\.[^\s.]+)*|\d{2,}|STARTTLS|\bIMAP\b|\bSMTP\b/g) ?? []
      ).toSorted()
    for (const [path, text] of texts)
      expect([path, factsOf(text)]).toEqual([path, factsOf(english.get(path))])
  })

  test('end with a punctuation mark where the English texts do', () => {
    const isSentence = (text = '') => /[.?:。]$/.test(text)
    for (const [path, text] of texts)
      expect([path, isSentence(text)]).toEqual([path, isSentence(english.get(path))])
  })
})

test.each(languageTags)('texts in %s: contain no HTML and no space at an end', (tag) => {
  for (const [path, text] of textsByPath(languages[tag], tag)) {
    const isInstruction = path.includes('.appPasswords.')
    expect([path, text.replaceAll(/<\d>/g, '')]).toEqual([
      path,
      expect.not.stringMatching(isInstruction ? /[<>"]/ : /[<>"&]/),
    ])
    expect([path, text]).toEqual([path, text.trim()])
  }
})
