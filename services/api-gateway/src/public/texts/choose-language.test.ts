import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { chooseLanguage } from './choose-language.ts'
import { languageTags } from './languages.ts'

const byHeader = (header?: string) => chooseLanguage({ header }).tag

describe('chooseLanguage: priority', () => {
  test.each([
    [{ link: 'ja', setting: 'de', header: 'fr' }, 'ja', 'link'],
    [{ link: null, setting: 'de-AT', header: 'fr' }, 'de', 'setting'],
    [{ setting: null, header: 'fr' }, 'fr', 'header'],
    [{ link: 'sv', setting: 'de', header: 'fr' }, 'de', 'setting'],
    [{ link: 'sv', setting: 'sv', header: 'fr' }, 'fr', 'header'],
    [{ setting: 'en-GB', header: 'fr' }, 'en', 'setting'],
    [{}, 'en', 'header'],
  ])('%j: %s by the %s', (requested, tag, chosenBy) => {
    expect(chooseLanguage(requested)).toMatchObject({ tag, chosenBy })
  })
})

describe('chooseLanguage: tags of a link', () => {
  test.each([
    ['de-AT', 'de'],
    ['DE', 'de'],
    ['pt-BR', 'pt'],
    ['pt_BR', 'pt'],
    ['ja-Jpan-JP', 'ja'],
    ['es-419', 'es'],
  ])('%s: %s', (link, tag) => {
    expect(chooseLanguage({ link })).toMatchObject({ tag, chosenBy: 'link' })
  })

  test.each([
    '',
    'deutsch',
    'de AT',
    'de-',
    'de"><script>alert(1)</script>',
    'de-<script>',
    'de\r\nSet-Cookie: x=1',
    'de\u0000',
    '../de',
    'constructor',
    'valueOf',
    '__proto__',
    'd\u0435',
    'de'.repeat(50_000),
  ])('malformed or unknown %j is ignored', (link) => {
    expect(chooseLanguage({ link })).toMatchObject({ tag: 'en', chosenBy: 'header' })
  })
})

describe('chooseLanguage: Accept-Language', () => {
  test.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['pt-BR,pt;q=0.9,en;q=0.8', 'pt'],
    ['sv, et;q=0.5', 'et'],
    ['en-GB;q=0.5, de;q=0.8', 'de'],
    ['en;q=0.1,fr;q=0.2,nl;q=0.15', 'fr'],
    ['fr;q=0.001', 'fr'],
    ['fr, de', 'fr'],
    ['FR;Q=0.5 , \tde ; q=0.9', 'de'],
  ])('%s: %s, by the weights', (header, tag) => expect(byHeader(header)).toBe(tag))

  test.each([
    ['*', 'en'],
    ['de;q=0.5, *;q=0.8', 'en'],
    ['de, *;q=0.5', 'de'],
    ['sv, *;q=0.5', 'en'],
    ['en;q=0.2, *', 'de'],
  ])('%s: %s, a wildcard stands for languages that are not named', (header, tag) =>
    expect(byHeader(header)).toBe(tag),
  )

  test.each([
    ['de;q=0, fr;q=0.1', 'fr'],
    ['de-AT, de;q=0, fr;q=0.1', 'fr'],
    ['en;q=0, *', 'de'],
    ['de-AT;q=0, de', 'de'],
    ['*;q=0', 'en'],
    ['de;q=0', 'en'],
  ])('%s: %s, the weight 0 refuses a language', (header, tag) => expect(byHeader(header)).toBe(tag))

  test.each(['', ',', ';q=1', 'de;q=2', 'de;q=-1', 'de;q=', 'de;q=0.1234', 'de;x=1', 'sv', 'q=1'])(
    'without an acceptable range, %j: English',
    (header) => expect(byHeader(header)).toBe('en'),
  )

  test('invalid ranges do not affect valid ranges', () =>
    expect(byHeader('fr;q=9, ;;;, de;q=0.4, <b>')).toBe('de'))
})

test('chooseLanguage: any input, returns a known language with its texts', () => {
  const text = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(text, text, text, (link, setting, header) => {
      const { tag, texts } = chooseLanguage({ link, setting, header })
      expect(languageTags).toContain(tag)
      expect(texts.links.oneClick).not.toBe('')
    }),
  )
})
