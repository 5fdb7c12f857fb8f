import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { PageTheme } from '../page-layout.ts'
import { oneAddress, scopeList, signInPage, twoAddresses } from '../sign-in/sign-in-pages.ts'
import { choicePage, messagePage, personPage, type FormContext, serversPage } from './form-pages.ts'
import { formTexts } from './form-texts.ts'

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

/** All pages, with one text wherever somebody else's may stand. */
function pages(text: string) {
  const look: PageTheme = {}
  const place: FormContext = { parts: { data: text, sig: text }, up: '../', theme: look }
  const names = [
    'name',
    'email',
    'imapHost',
    'imapPort',
    'imapSecurity',
    'imapUser',
    'smtpHost',
    'smtpPort',
    'smtpUser',
  ] as const
  const filled = Object.fromEntries(names.map((name) => [name, text])) as Record<
    (typeof names)[number],
    string
  >
  const wrong = { ...filled, imapPass: text, smtpPass: text }
  const appPassword = { provider: text, required: true, instructions: 'at https://mail.example/x' }
  const servers = {
    values: filled,
    errors: wrong,
    works: {},
    encryptedPasswords: text,
    isDiscovered: true,
    general: text,
    appPassword,
  }
  return [
    choicePage(place, [{ id: text, title: text }]),
    personPage(place, { name: text, email: text, pinned: true, appPassword, wrong }),
    serversPage(place, servers),
    messagePage(formTexts.done, look, { href: text, byItself: true }),
    signInPage(
      {
        words: formTexts.invalid,
        more: scopeList([text]) + oneAddress(text) + twoAddresses(text, text),
        again: text,
      },
      look,
    ),
  ].map(({ html }) => html)
}

test('whatever people, links and servers say, the pages have the same elements', () => {
  // Not empty: of what is not there nothing is said.
  const plain = pages('x').map(tags)
  fc.assert(
    fc.property(hostile, (text) => {
      expect(pages(`x${text}`).map(tags)).toEqual(plain)
    }),
  )
})
