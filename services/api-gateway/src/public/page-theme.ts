import type { Request } from 'express'
import { queryOf } from './link-request.ts'
import type { Branding, PageTheme } from './page-layout.ts'
import { chooseLanguage } from './texts/choose-language.ts'
import type { LanguageTag } from './texts/languages.ts'

export interface PageThemeDeps {
  branding: () => Promise<Branding>
}

/** Color scheme and language that a link requests for its public pages, unvalidated. */
export interface RequestedTheme {
  colorScheme?: string | null | undefined
  locale?: string | null | undefined
}

/** Theme that the query of a request for a public page names: parameters `theme` and `locale`. */
export function requestedTheme(request: Request): RequestedTheme {
  const query = queryOf(request)
  return { colorScheme: query.get('theme'), locale: query.get('locale') }
}

/**
 * Theme of a public page: branding, color scheme and language. Unknown color schemes and languages
 * are ignored. The link decides the language, else the setting `locale`, else the browser. By
 * default, the query of the request is read for the language only.
 */
export async function pageTheme(
  { branding }: PageThemeDeps,
  request: Request,
  { colorScheme, locale: link }: RequestedTheme = { locale: requestedTheme(request).locale },
): Promise<PageTheme> {
  const settings = await branding()
  const header = request.get('accept-language')
  const language = chooseLanguage({ link, setting: settings.locale, header })
  const theme = { ...settings, language }
  return colorScheme === 'light' || colorScheme === 'dark' ? { ...theme, colorScheme } : theme
}

/**
 * Language that the link of a public page has chosen for this and the next pages; otherwise
 * undefined.
 */
export function localeOf({ language }: PageTheme): LanguageTag | undefined {
  return language.chosenBy === 'link' ? language.tag : undefined
}

/**
 * Query parameter that passes the language that a link has chosen to the next public page, or
 * empty.
 */
export function localeParameter(theme: PageTheme): string {
  const locale = localeOf(theme)
  return locale === undefined ? '' : `&locale=${locale}`
}
