import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ListForm, listPage } from './link-pages.ts'
import { messagePage } from './page-layout.ts'
import { chooseLanguage } from './texts/choose-language.ts'
import { languageTags } from './texts/languages.ts'

const form: ListForm = {
  state: 'confirm',
  link: { act: 'unsub', acc: 'me', list: 'news', rcpt: 'ann@example.com', msg: '<1@example.com>' },
  data: 'd',
  sig: 's',
  target: 'unsubscribe/address',
}

const language = chooseLanguage({})
const { links } = language.texts

test.each(languageTags)('listPage in %s: link with markup, has the same elements', (locale) => {
  const theme = { language: chooseLanguage({ link: locale }) }
  const tags = (html: string) =>
    html.match(/<\/?[a-z!][^>]*/gi)?.map((tag) => tag.split(/[\s>]/)[0])
  const plain = tags(listPage(form, theme).html)
  const hostile = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      '"><script>alert(1)</script>',
      "' onload='x",
      '</dd><form action=//evil>',
      '<!--',
    ),
  )
  fc.assert(
    fc.property(hostile, hostile, (rcpt, list) => {
      const link = { ...form.link, rcpt, list }
      const { html } = listPage({ ...form, link, data: rcpt, sig: list }, theme)
      expect(tags(html)).toEqual(plain)
    }),
    { numRuns: 30 },
  )
})

test('renderPage: without operator templates, allows the built-in style only', () => {
  const { html, contentSecurityPolicy: policy } = messagePage(links.invalid, { language })
  const [, style = ''] = /<style>([^]*)<\/style>/.exec(html) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  )
})

test('renderPage: with operator templates, inserts them and allows no scripts', () => {
  const { html, contentSecurityPolicy: policy } = listPage(form, {
    language,
    pageBrandName: 'Shop',
    templateHtmlHead: '<style>h1 { color: red }</style>',
    templateHeader: '<img src="https://shop.example/logo.png">',
  })
  expect(html).toContain('<style>h1 { color: red }</style>\n</head>')
  expect(html).toContain('<body>\n<img src="https://shop.example/logo.png">')
  expect(html).toContain('Shop</title>')
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'unsafe-inline' https:; img-src https: data:/,
  )
})

test('listPage: the button offers the opposite of the state', () => {
  const action = (state: ListForm['state']) =>
    /name="action" value="(\w+)"/.exec(listPage({ ...form, state }, { language }).html)?.[1]
  expect([action('confirm'), action('unsubscribed'), action('resubscribed')]).toEqual([
    'unsubscribe',
    'subscribe',
    'unsubscribe',
  ])
})

test('renderPage: without pageBrandName, shows the host of serviceUrl', () => {
  const { html } = messagePage(links.unavailable, {
    language,
    serviceUrl: 'https://mail.example',
  })
  expect(html).toContain('<p class="brand">mail.example</p>')
})
