import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { redirectUrl, signInWorld } from './sign-in-world.ts'

const world = await signInWorld()
const { app, gateways, servers, provider } = world
const { beginSignIn, finishSignIn, makeApp, makeLink, openSignIn, page, retryState } = world
const { db } = servers
const [gateway, other] = gateways
afterAll(() => world.stop())

const hiddenApp = await makeApp({ name: 'hidden', includeInListing: false })
const account = async (id: string) => (await gateway.call('GET', `/v1/account/${id}`)).body

test('hosted form: first page offers listed and enabled applications, and IMAP', async () => {
  const off = await makeApp({ name: 'off', includeInListing: true, enabled: false })
  const [forApi, forPubSub] = [
    await makeApp({ name: 'api', includeInListing: true }),
    await makeApp({ name: 'pubsub', includeInListing: true }),
  ]
  for (const [id, scope] of [
    [forApi, '"api"'],
    [forPubSub, '"pubsub"'],
  ]) {
    const config = sql`jsonb_set(config, '{baseScopes}', ${scope}::jsonb)`
    await sql`update oauth2_apps set config = ${config} where id = ${id}`.execute(db)
  }
  const { html } = await page(await makeLink())
  expect(html).toContain(forApi)
  expect(html).not.toContain(forPubSub)
  expect(html).toContain('Sign in with Good Mail')
  expect(html).toContain('type=imap')
  expect(html).not.toContain(hiddenApp)
  expect(html).not.toContain(off)
  for (const type of [hiddenApp, off, 'unknown'])
    expect((await page(`${await makeLink()}&type=${type}`)).status).toBe(404)
  // A form link may name an unlisted OAuth2 application, which skips the choice of the provider.
  expect((await page(await makeLink({ type: hiddenApp }))).status).toBe(303)
})

test('/oauth: registers the account with the grant, redirects to redirectUrl', async () => {
  const link = await makeLink({ account: 'signed', path: ['INBOX'], email: 'ann@mail.test' })
  const state = await beginSignIn(link)
  expect(provider.started.at(-1)).toMatchObject({ app, loginHint: 'ann@mail.test' })
  const { status, location } = await finishSignIn(state, { user: 'ann@mail.test', name: 'Ann' })
  expect([status, location]).toEqual([303, `${redirectUrl}?account=signed&state=new`])
  expect(await account('signed')).toMatchObject({
    name: 'Ann',
    email: 'ann@mail.test',
    path: ['INBOX'],
    oauth2: { provider: app, auth: { user: 'ann@mail.test' } },
  })
  const stored = await db
    .selectFrom('credentials')
    .select(['kind', 'sealed'])
    .where('account', '=', 'signed')
    .execute()
  expect(stored).toEqual([{ kind: 'oauth2', sealed: 'sealed for signed by ann@mail.test' }])
  expect((await page(link)).status).toBe(410)
})

test('/oauth: the state is stored hashed and valid once', async () => {
  const state = await beginSignIn(await makeLink())
  const rows = await db.selectFrom('oauth2Logins').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(state)
  const hash = createHash('sha256').update(state).digest('hex')
  expect(rows.map((row) => row.state)).toContain(hash)
  // HEAD requests and browser prefetches of the OAuth2 callback do not consume the state.
  const [cookie = []] = world.browser
  const headers = { cookie: cookie.join('=') }
  await fetch(`${gateway.url}/oauth?state=${state}&code=x`, { method: 'HEAD', headers })
  await fetch(`${gateway.url}/oauth?state=${state}&code=x`, {
    headers: { ...headers, 'sec-purpose': 'prefetch' },
  })
  expect((await finishSignIn(state, { user: 'once@mail.test' })).status).toBe(303)
  const replayed = await finishSignIn(state, { user: 'once@mail.test' })
  expect([replayed.status, replayed.html.includes('This sign-in is over')]).toEqual([400, true])
})

test('/oauth: unknown, expired or invalid state, 400 without a code exchange', async () => {
  const state = await beginSignIn(await makeLink())
  await db
    .updateTable('oauth2Logins')
    .set({ expiresAt: new Date(Date.now() - 1_000) })
    .execute()
  const exchanges = provider.completed.length
  for (const query of [
    '',
    '?code=x',
    '?state=&code=x',
    `?state=${'x'.repeat(300)}&code=x`,
    '?state=x&code=x',
    `?state=${state}&code=x`,
  ])
    expect([query, (await page(`/oauth${query}`)).status]).toEqual([query, 400])
  expect(provider.completed).toHaveLength(exchanges)
})

test('/oauth: 8 concurrent requests with one state, one succeeds', async () => {
  const state = await beginSignIn(await makeLink({ account: 'parallel' }))
  const code = provider.consent({ user: 'parallel@mail.test' })
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      page(`/oauth?code=${code}&state=${state}`, n % 2 ? other : gateway),
    ),
  )
  expect(responses.filter(({ status }) => status === 303)).toHaveLength(1)
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(7)
})

test('/oauth: two concurrent sign-ins of one link, one account and 410 for the other', async () => {
  const link = await makeLink({ account: 'twice' })
  const states = [await beginSignIn(link), await beginSignIn(link)]
  const responses = await Promise.all(
    states.map((state) => finishSignIn(state, { user: 'twice@mail.test' })),
  )
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 410])
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', '=', 'twice')
    .execute()
  expect(events).toHaveLength(1)
  // The existing account depends on the OAuth2 grants of this user, so no grant is revoked.
  expect(provider.revoked.filter(({ account }) => account === 'twice')).toEqual([])
})

test('/oauth: access denied or provider error, offers a new sign-in', async () => {
  const state = await beginSignIn(await makeLink({ account: 'denied' }))
  const denied = await page(`/oauth?error=access_denied&error_description=<b>evil&state=${state}`)
  expect(denied.status).toBe(403)
  expect(denied.html).toContain('access_denied: &lt;b&gt;evil')
  const rejected = await page(`/oauth?error=server_error&state=${await retryState(denied.html)}`)
  expect(rejected.status).toBe(400)
  const invalidCode = await page(`/oauth?code=unknown&state=${await retryState(rejected.html)}`)
  expect(invalidCode.status).toBe(400)
  expect(
    (await finishSignIn(await retryState(invalidCode.html), { user: 'denied@mail.test' })).status,
  ).toBe(303)
})

test('/oauth: missing scopes, lists them, revokes the grant and requests consent again', async () => {
  const state = await beginSignIn(await makeLink({ account: 'scopes' }))
  const incomplete = await finishSignIn(state, {
    user: 's@mail.test',
    missingScopes: ['https://mail.example/<all>'],
  })
  expect([incomplete.status, incomplete.html.includes('https://mail.example/&lt;all&gt;')]).toEqual(
    [403, true],
  )
  expect(provider.revoked.at(-1)).toMatchObject({
    app,
    account: 'scopes',
    sealedGrant: 'sealed for scopes by s@mail.test',
  })
  expect(provider.started.at(-1)).toMatchObject({ app, consent: true })
  expect(
    (await finishSignIn(await retryState(incomplete.html), { user: 's@mail.test' })).status,
  ).toBe(303)
})

test('/oauth: other user than expectedEmail, 403 and revokes the grant', async () => {
  const state = await beginSignIn(
    await makeLink({ account: 'pinned', expectedEmail: 'Right@mail.test' }),
  )
  const mismatch = await finishSignIn(state, { user: 'wrong@mail.test' })
  expect(mismatch.status).toBe(403)
  for (const address of ['Right@mail.test', 'wrong@mail.test'])
    expect(mismatch.html).toContain(address)
  expect(provider.revoked.at(-1)).toMatchObject({ account: 'pinned' })
  expect(await account('pinned')).toMatchObject({ statusCode: 404 })
  expect(
    (await finishSignIn(await retryState(mismatch.html), { user: 'RIGHT@mail.test' })).status,
  ).toBe(303)
})

test('/oauth: unverified address, 403 and changes no account', async () => {
  const owner = await beginSignIn(await makeLink({ account: 'owner' }))
  await finishSignIn(owner, { user: 'owner@mail.test' })
  const unverified = { user: 'owner@mail.test', name: 'Not <the> owner', unverified: true } as const
  for (const link of [
    { account: 'claims' },
    { account: 'claims', expectedEmail: 'owner@mail.test' },
    { account: 'claims', email: 'team@mail.test', delegated: true },
    { account: 'owner' },
  ]) {
    const rejected = await finishSignIn(await beginSignIn(await makeLink(link)), unverified)
    expect([rejected.status, rejected.html.includes('This address is not confirmed')]).toEqual([
      403,
      true,
    ])
    expect(rejected.html).toContain('<dd>owner@mail.test</dd>')
  }
  expect(await account('claims')).toMatchObject({ statusCode: 404 })
  expect(await account('owner')).toMatchObject({ name: 'owner@mail.test' })
})

test('/oauth: address verified later, the new sign-in succeeds', async () => {
  const state = await beginSignIn(await makeLink({ account: 'confirms' }))
  const rejected = await finishSignIn(state, { user: 'confirms@mail.test', unverified: true })
  expect(provider.revoked.at(-1)).toMatchObject({ account: 'confirms' })
  expect(
    (await finishSignIn(await retryState(rejected.html), { user: 'confirms@mail.test' })).status,
  ).toBe(303)
})

test('/oauth: expectedEmail of the account, applies to forms and API registrations', async () => {
  await gateway.call('POST', '/v1/account', {
    body: { account: 'stays', name: 'Stays', expectedEmail: 'stays@mail.test' },
  })
  const byForm = await finishSignIn(await beginSignIn(await makeLink({ account: 'stays' })), {
    user: 'moved@mail.test',
  })
  expect(byForm.status).toBe(403)
  const pending = await gateway.call('POST', '/v1/account', {
    body: { account: 'stays', name: 'S', oauth2: { authorize: true, provider: app, redirectUrl } },
  })
  const state = await openSignIn(String(pending.body['redirect']))
  expect((await finishSignIn(state, { user: 'moved@mail.test' })).status).toBe(403)
})

test('/oauth: mailbox of another account, 400 and the grant is not revoked', async () => {
  const revocations = provider.revoked.length
  const first = await beginSignIn(await makeLink({ account: 'first-owner' }))
  await finishSignIn(first, { user: 'taken@mail.test' })
  const second = await finishSignIn(
    await beginSignIn(await makeLink({ account: 'second-owner' })),
    {
      user: 'Taken@mail.test',
    },
  )
  expect([second.status, second.html.includes('first-owner')]).toEqual([400, false])
  // A revocation of the new OAuth2 grant would also end the grant of the user's first account.
  const pinned = await beginSignIn(await makeLink({ expectedEmail: 'x@mail.test' }))
  expect((await finishSignIn(pinned, { user: 'taken@mail.test' })).status).toBe(403)
  expect(provider.revoked).toHaveLength(revocations)
  expect(await account('second-owner')).toMatchObject({ statusCode: 404 })
})

test('/oauth: provider or auth-bridge unavailable, 503 and the link stays valid', async () => {
  const link = await makeLink({ account: 'retried' })
  const error = new AppError('unreachable', 'the provider is unavailable')
  const unreachable = await finishSignIn(await beginSignIn(link), {
    user: 'retried@mail.test',
    error,
  })
  expect(unreachable.status).toBe(503)
  provider.startError = new AppError('unavailable', 'not now')
  expect((await page(`${link}&type=${app}`)).status).toBe(503)
  const closed = await page(`/oauth?error=x&state=${await retryState(unreachable.html)}`)
  expect([closed.status, closed.html.includes('start=')]).toEqual([400, false])
  provider.startError = new AppError('invalid', 'the application is not complete')
  expect((await page(`${link}&type=${app}`)).status).toBe(404)
  provider.startError = undefined
  expect((await finishSignIn(await beginSignIn(link), { user: 'retried@mail.test' })).status).toBe(
    303,
  )
})

test('/oauth: account cannot be stored, revokes the grant and the link stays valid', async () => {
  const link = await makeLink({ account: 'unstored' })
  const state = await beginSignIn(link)
  await db.schema
    .alterTable('form_links')
    .addCheckConstraint('no_new', sql`account <> 'unstored' or state is null`)
    .execute()
  const failed = await finishSignIn(state, { user: 'unstored@mail.test' })
  await db.schema.alterTable('form_links').dropConstraint('no_new').execute()
  expect(failed.status).toBe(503)
  expect(provider.revoked.at(-1)).toMatchObject({ account: 'unstored' })
  expect(await account('unstored')).toMatchObject({ statusCode: 404 })
  expect(
    (await finishSignIn(await retryState(failed.html), { user: 'unstored@mail.test' })).status,
  ).toBe(303)
})

test('/oauth: registration by the API, creates or updates the account', async () => {
  const body = {
    account: 'api',
    name: 'By API',
    oauth2: { authorize: true, provider: app, redirectUrl },
    path: ['INBOX'],
  }
  const pending = await gateway.call('POST', '/v1/account', { body })
  expect(await account('api')).toMatchObject({ statusCode: 404 })
  const { location } = await finishSignIn(await openSignIn(String(pending.body['redirect'])), {
    user: 'api@mail.test',
  })
  expect(location).toBe(`${redirectUrl}?account=api&state=new`)
  const stored = await account('api')
  expect(stored).toMatchObject({
    name: 'By API',
    path: ['INBOX'],
    oauth2: { auth: { user: 'api@mail.test' } },
  })
  const repeated = await gateway.call('POST', '/v1/account', { body })
  const second = await finishSignIn(await openSignIn(String(repeated.body['redirect'])), {
    user: 'api@mail.test',
  })
  expect(second.location).toBe(`${redirectUrl}?account=api&state=existing`)
})

test('POST /v1/account: oauth2.authorize with passwords or tokens, 400', async () => {
  const oauth2 = { authorize: true, provider: app, redirectUrl }
  const auth = { user: 'u', pass: 'p' }
  const bodies = [
    { account: 'p', name: 'P', oauth2, imap: { host: 'imap.test', port: 993, auth } },
    { account: 'p', name: 'P', oauth2, smtp: { host: 'smtp.test', port: 465, auth } },
    { account: 'p', name: 'P', oauth2: { ...oauth2, refreshToken: 'r' } },
  ]
  for (const body of bodies)
    expect((await gateway.call('POST', '/v1/account', { body })).status).toBe(400)
})

test('/oauth: shared mailbox, is registered with the delegated user', async () => {
  const state = await beginSignIn(
    await makeLink({ account: 'shared', email: 'team@mail.test', delegated: true }),
  )
  await finishSignIn(state, { user: 'member@mail.test' })
  expect(await account('shared')).toMatchObject({
    email: 'team@mail.test',
    oauth2: { auth: { user: 'member@mail.test', delegatedUser: 'team@mail.test' } },
  })
})
