import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { messagePage, type PageTheme } from '../page-layout.ts'
import { oneAddress, scopeList, twoAddresses } from '../sign-in/sign-in-pages.ts'
import { chooseLanguage } from '../texts/choose-language.ts'
import { type LanguageTag, languageTags } from '../texts/languages.ts'
import { explainVerification } from './explain-verification.ts'
import { choicePage, personPage, type FormContext, serversPage } from './form-pages.ts'
import { formValueNames, type FormValues } from './parse-settings.ts'

const hostile = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '"><script>alert(1)</script>',
    "' onload='x",
    '</p><form action=//evil>',
    '<!--',
    '0; url=//evil',
  ),
)
const tags = (html: string) => html.match(/<\/?[a-z!][^>]*/gi)?.map((tag) => tag.split(/[\s>]/)[0])

/** HTML of all pages of the hosted form, with `text` in each place that shows an external value. */
function pages(text: string, locale: LanguageTag) {
  const theme: PageTheme = { language: chooseLanguage({ link: locale }) }
  const { form, signIn } = theme.language.texts
  const context: FormContext = { parts: { data: text, sig: text }, up: '../', theme }
  const values = Object.fromEntries(formValueNames.map((name) => [name, text])) as FormValues
  const rejected = {
    success: false,
    error: text,
    code: 'AUTHENTICATIONFAILED',
    responseText: text,
  } as const
  const errors = {
    ...values,
    email: form.errors.pinned(text),
    imapUser: form.errors.pinnedUser(text),
    imapPass: explainVerification(rejected, form.verification)?.text ?? '',
    smtpPass: text,
  }
  const appPassword = { provider: text, required: true, rule: 'google' } as const
  const servers = {
    values,
    errors,
    works: {},
    encryptedPasswords: text,
    isDiscovered: true,
    general: text,
    appPassword,
  }
  const details =
    scopeList([text]) +
    oneAddress(text, signIn) +
    twoAddresses({ expected: text, signedIn: text }, signIn)
  return [
    choicePage(context, [{ id: text, title: text }]),
    personPage(context, { name: text, email: text, pinned: true, appPassword, errors }),
    serversPage(context, servers),
    messagePage(form.done, theme, { href: text, isAutomatic: true }),
    messagePage({ ...form.invalid, details, next: signIn.again }, theme, { href: text }),
  ].map(({ html }) => html)
}

test.each(languageTags)('form and sign-in pages in %s: markup in values is escaped', (locale) => {
  // The harmless value in the form pages is not empty, because pages omit optional elements of
  // empty values.
  const plain = pages('x', locale).map(tags)
  fc.assert(
    fc.property(hostile, (text) => {
      expect(pages(`x${text}`, locale).map(tags)).toEqual(plain)
    }),
    { numRuns: 30 },
  )
})

test.each(languageTags)('form pages in %s: state their language and retain it', (locale) => {
  const all = pages('x', locale)
  for (const html of all) expect(html).toContain(`<html lang="${locale}">`)
  const targets = all.flatMap((html) =>
    [...html.matchAll(/(?:href|action)="([^"]*data=[^"]*)"/g)].map(([, url]) => url ?? ''),
  )
  expect(targets).toHaveLength(5)
  for (const url of targets) expect(url).toContain(`&amp;locale=${locale}`)
})

test.each(languageTags)(
  'form page in %s: instructions for an app password contain a link',
  (tag) => {
    const [, person = ''] = pages('x', tag)
    expect(person).toContain('<a href="https://myaccount.google.com/apppasswords" target="_blank"')
  },
)
