import type { PageTexts } from './english.ts'
import { languages, type LanguageTag, languageTags } from './languages.ts'

/** Language of a public page with its texts. */
export interface PageLanguage {
  tag: LanguageTag
  texts: PageTexts
  /** Origin of the choice of a public page's language. `header`: also for the default language. */
  chosenBy: 'link' | 'setting' | 'header'
}

/** Language tags from which the language of a public page is chosen, in descending priority. */
export interface RequestedLanguages {
  /** Language in the parameter `locale` of the public page's link. */
  link?: string | null | undefined
  /** Language in the operator's setting `locale`. */
  setting?: string | null | undefined
  /** Header `Accept-Language` of the request for a public page. */
  header?: string | undefined
}

/** Chooses the language of a public page. Unknown languages and malformed tags are ignored. */
export function chooseLanguage({ link, setting, header = '' }: RequestedLanguages): PageLanguage {
  const byLink = lookUp(link ?? '')
  if (byLink) return languageOf(byLink, 'link')
  const bySetting = lookUp(setting ?? '')
  if (bySetting) return languageOf(bySetting, 'setting')
  return languageOf(negotiate(header) ?? 'en', 'header')
}

function languageOf(tag: LanguageTag, chosenBy: PageLanguage['chosenBy']): PageLanguage {
  return { tag, texts: languages[tag], chosenBy }
}

/**
 * Finds the language of a tag such as `de-AT` or `pt_BR`. RFC 4647 §3.4: subtags of region and
 * script are removed until a language matches.
 */
function lookUp(tag: string): LanguageTag | undefined {
  const [, language = ''] = /^([a-z]{2,8})(?:[-_][a-z0-9]{1,8})*$/i.exec(tag) ?? []
  return languageTags.find((supported) => supported === language.toLowerCase())
}

/** Language range of the header `Accept-Language`, in lower case, with its weight. */
interface LanguageRange {
  range: string
  weight: number
}

/**
 * Chooses a language by the header `Accept-Language` (RFC 9110 §12.5.4); undefined if the header
 * accepts no language of the pages. `*` stands for the languages that the header does not name. A
 * language with the weight 0 is not acceptable.
 */
function negotiate(header: string): LanguageTag | undefined {
  const ranges = parseRanges(header)
  const named = new Set(ranges.map(({ range }) => lookUp(range)))
  const refused = new Set(ranges.filter(({ weight }) => weight === 0).map(({ range }) => range))
  const candidates = ranges
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ range }) =>
      range === '*' ? languageTags.find((tag) => !named.has(tag)) : lookUp(range),
    )
  return candidates.find((tag) => tag !== undefined && !refused.has(tag))
}

/** Parses the header `Accept-Language`. Ranges with an invalid weight are ignored. */
function parseRanges(header: string): LanguageRange[] {
  return header.split(',').flatMap((element) => {
    const [range = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase())
    const weight = weightIn(parameters)
    return range === '' || weight === undefined ? [] : [{ range, weight }]
  })
}

/** Weight of a language range (RFC 9110 §12.4.2): 1 if absent; undefined if invalid. */
function weightIn(parameters: readonly string[]): number | undefined {
  if (parameters.length === 0) return 1
  const [, weight] = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameters.join(';')) ?? []
  return weight === undefined ? undefined : Number(weight)
}
