import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { messagePage, type PageTheme } from '../page-layout.ts'
import { oneAddress, scopeList, signInTexts, twoAddresses } from '../sign-in/sign-in-pages.ts'
import { choicePage, personPage, type FormContext, serversPage } from './form-pages.ts'
import { formTexts } from './form-texts.ts'
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
function pages(text: string) {
  const theme: PageTheme = {}
  const context: FormContext = { parts: { data: text, sig: text }, up: '../', theme }
  const values = Object.fromEntries(formValueNames.map((name) => [name, text])) as FormValues
  const errors = { ...values, imapPass: text, smtpPass: text }
  const appPassword = { provider: text, required: true, instructions: 'at https://mail.example/x' }
  const servers = {
    values,
    errors,
    works: {},
    encryptedPasswords: text,
    isDiscovered: true,
    general: text,
    appPassword,
  }
  return [
    choicePage(context, [{ id: text, title: text }]),
    personPage(context, { name: text, email: text, pinned: true, appPassword, errors }),
    serversPage(context, servers),
    messagePage(formTexts.done, theme, { href: text, isAutomatic: true }),
    messagePage(
      {
        ...formTexts.invalid,
        details: scopeList([text]) + oneAddress(text) + twoAddresses(text, text),
        next: signInTexts.again,
      },
      theme,
      { href: text },
    ),
  ].map(({ html }) => html)
}

test('form and sign-in pages: external values with markup, have the same elements', () => {
  // The harmless value in the form pages is not empty, because pages omit optional elements of
  // empty values.
  const plain = pages('x').map(tags)
  fc.assert(
    fc.property(hostile, (text) => {
      expect(pages(`x${text}`).map(tags)).toEqual(plain)
    }),
  )
})
