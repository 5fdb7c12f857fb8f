import { dutch } from './dutch.ts'
import { english, type PageTexts } from './english.ts'
import { estonian } from './estonian.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { japanese } from './japanese.ts'
import { polish } from './polish.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

/** Texts of the public pages by language tag (RFC 5646). The first language is the default. */
export const languages = {
  en: english,
  de: german,
  fr: french,
  es: spanish,
  nl: dutch,
  pl: polish,
  et: estonian,
  ja: japanese,
  pt: portuguese,
} satisfies Record<string, PageTexts>

export type LanguageTag = keyof typeof languages
export const languageTags = Object.keys(languages) as LanguageTag[]
