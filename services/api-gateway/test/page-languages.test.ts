import { afterAll, expect, test } from '@jest/globals'
import { linkTo, type SignedLink } from '@posthorn/links'
import { eventually } from '@posthorn/testkit'
import { type LanguageTag, languages, languageTags } from '../src/public/texts/languages.ts'
import { fillIn, goodPass, serviceUrl, targetOf, unescape } from './hosted-form-world.ts'
import { pathOf, redirectUrl, signInWorld, stateIn } from './sign-in-world.ts'

const world = await signInWorld()
const { app, browser, gateways, key, makeLink, provider } = world
const [gateway] = gateways
afterAll(() => world.stop())

/** Requests a page with a value of `Accept-Language`, and posts `body` if present. */
async function visit(path: string, acceptLanguage: string, body?: URLSearchParams | string) {
  const cookie = [...browser].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(gateway.url + path, {
    headers: { cookie, 'accept-language': acceptLanguage },
    redirect: 'manual',
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    browser.set(name, value)
  }
  const { status, headers } = response
  const html = await response.text()
  return {
    status,
    html,
    location: headers.get('location') ?? '',
    lang: /<html lang="([^"]*)"/.exec(html)?.[1],
    language: headers.get('content-language'),
    vary: (headers.get('vary') ?? '').split(/, */),
    title: unescape(/<h1>([^<]*)/.exec(html)?.[1] ?? ''),
  }
}

type Visited = Awaited<ReturnType<typeof visit>>

function expectLanguage(page: Visited, tag: LanguageTag, title: string): void {
  expect(page).toMatchObject({ lang: tag, language: tag, title })
}

/** Walks through the hosted form from the choice of providers to the registration. */
async function walkThroughForm(link: string, acceptLanguage: string): Promise<Visited[]> {
  const choice = await visit(link, acceptLanguage)
  const imap = /href="(new[^"]*type=imap)"/.exec(choice.html)?.[1] ?? ''
  const person = await visit(`/accounts/${unescape(imap)}`, acceptLanguage)
  const values = { name: 'Ann', email: 'ann@known.test', pass: 'wrong' }
  const post = (from: Visited, step: string, fields: Record<string, string> = {}) =>
    visit(targetOf(from.html, step), acceptLanguage, fillIn(from.html, fields))
  const refused = await post(person, 'imap', { ...values, email: 'ann' })
  const servers = await post(person, 'imap', values)
  const rejected = await post(servers, 'imap/test')
  const done = await post(rejected, 'imap/server', { imapPass: goodPass })
  return [choice, person, refused, servers, rejected, done, await visit(link, acceptLanguage)]
}

function expectForm(pages: readonly Visited[], tag: LanguageTag): void {
  const { form } = languages[tag]
  const { choose, person, servers, done, used } = form
  const titles = [choose, person, person, servers, servers, done, used].map(({ title }) => title)
  expect(pages.map(({ title }) => title)).toEqual(titles)
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 400, 200, 422, 200, 410])
  expect(pages.map(({ lang }) => lang)).toEqual(titles.map(() => tag))
  expect(pages.map(({ language }) => language)).toEqual(titles.map(() => tag))
  expect(pages[0]?.html).toContain(form.choose.signIn('Good Mail'))
  expect(pages[2]?.html).toContain(form.errors.email)
  expect(pages[4]?.html).toContain(
    form.verification.loginWithReply('NO &lt;b&gt;not&lt;/b&gt; you'),
  )
}

test('hosted form: German by the parameter locale, in each step', async () => {
  const pages = await walkThroughForm(`${await makeLink()}&locale=de-AT`, 'fr')
  expectForm(pages, 'de')
  for (const { vary } of pages) expect(vary).not.toContain('Accept-Language')
})

test('hosted form: Japanese by Accept-Language, in each step', async () => {
  const pages = await walkThroughForm(await makeLink(), 'sv, ja-JP;q=0.9, en;q=0.5')
  expectForm(pages, 'ja')
  for (const { vary, html } of pages) {
    expect(vary).toContain('Accept-Language')
    expect(html).not.toContain('locale=')
  }
})

test.each(languageTags)('hosted form in %s: texts with values are escaped', async (locale) => {
  const link = `${await makeLink({ type: 'imap', expectedEmail: "o'neil@known.test" })}&locale=${locale}`
  const person = await visit(link, '*')
  const fields = fillIn(person.html, { name: 'Ann', email: '<i>@known.test', pass: goodPass })
  const refused = await visit(targetOf(person.html, 'imap'), '*', fields)
  const { errors } = languages[locale].form
  expect(refused).toMatchObject({ status: 400, lang: locale })
  expect(refused.html).toContain(errors.pinned('o&#39;neil@known.test'))
  expect(refused.html).toContain('value="&lt;i&gt;@known.test"')
})

test.each([
  ['unknown', 'xx'],
  ['with markup', '"><script>alert(1)</script>'],
  ['known, with markup', 'de"><script>'],
  ['with a header', 'de\r\nset-cookie: a=b'],
  ['with a path', '../../de'],
  ['with the name of a prototype', '__proto__'],
  ['with 8,000 letters', 'd'.repeat(8_000)],
])('hosted form: locale %s is ignored and not reflected', async (...[, locale]) => {
  const link = `${await makeLink({ type: 'imap' })}&locale=${encodeURIComponent(locale)}`
  const page = await visit(link, 'nl')
  expectLanguage(page, 'nl', languages.nl.form.person.title)
  expect(page.html).not.toMatch(/locale|<script|__proto__|dddd/)
})

test('hosted form: locale=de with a repeated parameter, uses the first value', async () => {
  const page = await visit(`${await makeLink({ type: 'imap' })}&locale=de&locale=<b>`, 'nl')
  expectLanguage(page, 'de', languages.de.form.person.title)
})

test('sign-in of a form: retains the language at the provider and in a repeated sign-in', async () => {
  const link = `${await makeLink({ account: 'sprache' })}&locale=de`
  const start = await visit(`${link}&type=${app}`, 'fr')
  const opened = await visit(pathOf(start.location), 'fr')
  const denied = await visit(
    `/oauth?error=access_denied&error_description=AADSTS90094&state=${stateIn(opened.location)}`,
    'fr',
  )
  const { signIn, form } = languages.de
  expectLanguage(denied, 'de', signIn.refused.title)
  expect(denied.html).toContain(signIn.remedies.askAdministrator)
  expect(denied.html).toContain(`>${signIn.again}</a>`)

  const again = unescape(/href="(https:[^"]*[?]start=[^"]*)"/.exec(denied.html)?.[1] ?? '')
  const repeated = await visit(pathOf(again), 'fr')
  const code = provider.consent({ user: 'ann@mail.test', missingScopes: ['mail<'] })
  const missing = await visit(`/oauth?code=${code}&state=${stateIn(repeated.location)}`, 'fr')
  expectLanguage(missing, 'de', signIn.missing.title)
  expect(missing.html).toContain('mail&lt;')
  // After a sign-in has ended, only the URL of its start has the language.
  expectLanguage(await visit(pathOf(again), 'fr'), 'de', signIn.unknown.title)
  expect((await visit(link, 'fr')).title).toBe(form.choose.title)
})

test('sign-in by the API: the result page has the language of the start URL', async () => {
  const oauth2 = { authorize: true, provider: app, redirectUrl }
  const pending = await gateway.call('POST', '/v1/account', {
    body: { account: 'taal', name: 'Taal', oauth2 },
  })
  const opened = await visit(`${pathOf(String(pending.body['redirect']))}&locale=nl`, 'fr')
  const denied = await visit(`/oauth?error=access_denied&state=${stateIn(opened.location)}`, 'fr')
  expectLanguage(denied, 'nl', languages.nl.signIn.denied.title)
})

test('sign-in: without a language of the link, by Accept-Language', async () => {
  const unknown = await visit('/oauth?state=gone&code=x', 'es-419')
  expectLanguage(unknown, 'es', languages.es.signIn.unknown.title)
  expect(unknown.vary).toContain('Accept-Language')
})

const makeListLink = (content: Partial<SignedLink> = {}) => {
  const link = { act: 'unsub', acc: 'a', list: 'news<b>', rcpt: 'ann@mail.test', ...content }
  return (linkTo(serviceUrl, key, link as SignedLink) ?? '').slice(serviceUrl.length)
}
const formTarget = (html: string) =>
  unescape(/<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? '')

test('unsubscribe page: language of the link, retained by its form', async () => {
  const path = makeListLink()
  const { links } = languages.fr
  const confirm = await visit(`${path}&locale=fr-CA`, 'de')
  expectLanguage(confirm, 'fr', links.confirm.title)
  expect(confirm.html).toContain('news&lt;b&gt;')
  const action = (name: string) => new URLSearchParams({ action: name })
  const done = await visit(`/${formTarget(confirm.html)}`, 'de', action('unsubscribe'))
  expectLanguage(done, 'fr', links.unsubscribed.title)
  const back = await visit(`/unsubscribe/${formTarget(done.html)}`, 'de', action('subscribe'))
  expectLanguage(back, 'fr', links.resubscribed.title)
  const invalid = await visit(`/unsubscribe/${formTarget(done.html)}`, 'de', action('nothing'))
  expectLanguage(invalid, 'fr', links.invalid.title)
})

test('links: invalid signature, the text is in the language of the browser', async () => {
  for (const path of ['/unsubscribe', '/redirect']) {
    const page = await visit(`${path}?data=x&sig=y`, 'pt-BR')
    expect(page.status).toBe(403)
    expectLanguage(page, 'pt', languages.pt.links.invalid.title)
    expect(page.vary).toContain('Accept-Language')
  }
  const pixel = await visit('/open.gif?data=x&sig=y', 'et')
  expect([pixel.status, pixel.language]).toEqual([403, 'et'])
  expect(pixel.html).toBe(`${languages.et.links.invalid.title}\n`)
})

test('one-click request: plain text in the language of the client', async () => {
  const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
  const response = await visit(makeListLink({ rcpt: 'bea@mail.test' }), 'pl', oneClick)
  expect([response.status, response.language]).toEqual([200, 'pl'])
  expect(response.html).toBe(`${languages.pl.links.oneClick}\n`)
})

test('setting locale: before Accept-Language, after the parameter, unless unknown', async () => {
  const link = await makeLink({ type: 'imap' })
  const open = (parameter = '') => visit(link + parameter, 'ja')
  const set = (locale: string | null) => gateway.call('POST', '/v1/settings', { body: { locale } })
  const { person } = languages.pl.form
  await set('pl-PL')
  const polish = await eventually(async () => {
    const page = await open()
    expectLanguage(page, 'pl', person.title)
    return page
  })
  expect(polish.vary).not.toContain('Accept-Language')
  expectLanguage(await open('&locale=et'), 'et', languages.et.form.person.title)
  expectLanguage(await open('&locale=sv'), 'pl', person.title)
  expectLanguage(await visit(makeListLink(), 'ja'), 'pl', languages.pl.links.confirm.title)
  await set('sv')
  await eventually(async () => expectLanguage(await open(), 'ja', languages.ja.form.person.title))
  await set('en-GB')
  await eventually(async () => expectLanguage(await open(), 'en', languages.en.form.person.title))
  await set(null)
  await eventually(async () => expectLanguage(await open(), 'ja', languages.ja.form.person.title))
})
