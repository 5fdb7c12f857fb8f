import { createHash } from 'node:crypto'
import { defined } from '@posthorn/contracts/defined'
import type { Db } from '@posthorn/db'
import { sql } from 'kysely'
import type { PendingRegistration } from './pending-registration.ts'

/** Consent page for an OAuth2 sign-in, and the issuer that the page belongs to. */
export interface ConsentPage {
  /**
   * Authorization URL of the OAuth2 provider, in which each browser gets its own state and PKCE
   * challenge.
   */
  url: string
  /** Issuer identifier of the OAuth2 provider, if known (RFC 9207). */
  issuer?: string
  /** True if the OAuth2 provider always states its issuer in the authorization response. */
  requiresIss?: boolean
}

interface Login {
  app: string
  registration: PendingRegistration
  /** Nonce of the link to the hosted form; null for a sign-in without a form. */
  form: string | null
}

/** OAuth2 sign-in that a browser has opened and not completed. */
export interface PendingLogin extends Login {
  codeVerifier: string
  consent: ConsentPage
}

/**
 * State of an OAuth2 sign-in in one browser: `state` parameter, code verifier and browser identity.
 */
export interface BrowserState {
  state: string
  codeVerifier: string
  /** Identity of the browser that has opened the OAuth2 sign-in, from its sign-in cookie. */
  browser: string
  /** Language that the link of the OAuth2 sign-in has chosen for the result page. */
  locale?: string
}

/**
 * Maximum number of browsers that can open one OAuth2 sign-in. Previews of the link count as
 * browsers.
 */
const maxBrowsers = 25

// An OAuth2 sign-in has rows of two kinds. A row with the hash of the start token as key lives 24
// h. Each browser that opens the sign-in adds a row with the hash of its state, which lives 1 h.
// Members of `registration.consent` distinguish the rows: `browsers` counts the browsers, `start`
// and `browser` bind the row to a start token and a browser.

/** Stores an OAuth2 sign-in for 24 h. The key is the hash of the start token. */
export async function insertLogin(
  db: Db,
  start: string,
  { registration, consent, ...login }: Login & { consent: ConsentPage },
): Promise<void> {
  const expiresAt = sql<Date>`now() + interval '24 hours'`
  const stored = { ...registration, consent: { ...consent, browsers: 0 } }
  await db
    .insertInto('oauth2Logins')
    .values({
      ...login,
      state: hash(start),
      codeVerifier: '',
      expiresAt,
      registration: JSON.stringify(stored),
    })
    .execute()
}

/** Finds the URL of the consent page of an OAuth2 sign-in by its start token. */
export async function findConsentUrl(db: Db, start: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('oauth2Logins')
    .select(sql<string>`registration #>> '{consent,url}'`.as('url'))
    .where('state', '=', hash(start))
    .where(sql<boolean>`expires_at > now() and registration #> '{consent,browsers}' is not null`)
    .executeTakeFirst()
  return row?.url
}

/**
 * Stores the OAuth2 state of a browser for one hour. False if the sign-in is over, or if too many
 * browsers have opened the sign-in.
 */
export async function insertBrowserState(
  db: Db,
  start: string,
  { state, codeVerifier, browser, locale }: BrowserState,
): Promise<boolean> {
  const key = hash(start)
  const browsers = sql`(registration #>> '{consent,browsers}')::int`
  const choice = JSON.stringify(defined({ locale }))
  const binding = JSON.stringify({ start: key, browser: hash(browser) })
  const { rows } = await sql<{ state: string }>`
    with opened as (
      update oauth2_logins
      set registration = jsonb_set(registration, '{consent,browsers}', to_jsonb(${browsers} + 1))
      where state = ${key} and expires_at > now() and ${browsers} < ${maxBrowsers}
      returning app, registration, form
    )
    insert into oauth2_logins (state, app, code_verifier, registration, form, expires_at)
    select ${hash(state)}, app, ${codeVerifier},
      jsonb_set(registration, '{consent}', (registration -> 'consent') - 'browsers' || ${binding}::jsonb) || ${choice}::jsonb,
      form, now() + interval '1 hour'
    from opened
    returning state`.execute(db)
  return rows.length > 0
}

/**
 * Deletes and returns the OAuth2 sign-in whose state belongs to one of the browser identities. A
 * sign-in can be used only once, whatever the number of browsers that opened it.
 */
export async function consumeLogin(
  db: Db,
  state: string,
  browsers: readonly string[],
): Promise<PendingLogin | undefined> {
  const { rows } = await sql<StoredLogin>`
    with bound as (
      select state, registration #>> '{consent,start}' as start from oauth2_logins
      where state = ${hash(state)} and expires_at > now()
        and registration #>> '{consent,browser}' = any(${browsers.map(hash)}::text[])
    ), started as (
      delete from oauth2_logins using bound where oauth2_logins.state = bound.start
      returning bound.state
    )
    delete from oauth2_logins using started where oauth2_logins.state = started.state
    returning app, code_verifier, registration, form`.execute(db)
  const [row] = rows
  if (!row) return undefined
  const { consent, ...registration } = row.registration
  return { ...row, registration, consent }
}

type StoredLogin = Omit<PendingLogin, 'consent' | 'registration'> & {
  registration: PendingRegistration & { consent: ConsentPage }
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
