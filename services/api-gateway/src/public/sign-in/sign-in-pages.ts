import type { ConsentFailure } from '@posthorn/contracts/schemas/account-oauth2'
import { escapeHtml } from '../page-layout.ts'

/** Texts of the pages after an OAuth2 sign-in. */
export const signInTexts = {
  again: 'Sign in again',
  unknown: {
    title: 'This sign-in is over',
    lead: 'It is finished already, took longer than an hour or was started in another browser. If your mailbox is not connected, please go back to the website and start again.',
  },
  denied: {
    title: 'Your mailbox is not connected',
    lead: 'The sign-in was cancelled or access was not allowed. Nothing was changed.',
  },
  refused: {
    title: 'The sign-in did not work',
    lead: 'The provider of your mailbox did not confirm it. Nothing was changed.',
  },
  missing: {
    title: 'A permission is missing',
    lead: 'All of these permissions are needed. Sign in again and allow them:',
  },
  unverified: {
    title: 'This address is not confirmed',
    lead: 'The provider has not verified that this address is yours. Verify it there and sign in again. Nothing was changed.',
  },
  failure: {
    remedy: 'What to do',
    error: 'Error of the provider',
  },
  other: {
    title: 'This is another mailbox',
    lead: 'You signed in with a different mailbox than the one to connect. Nothing was changed.',
    expected: 'Mailbox to connect',
    signedIn: 'You signed in with',
  },
  exists: {
    title: 'This mailbox is connected already',
    lead: 'It belongs to another account here. Nothing was changed.',
  },
  unavailable: {
    title: 'Not possible right now',
    lead: 'Your mailbox is not connected yet. Please sign in again in a minute.',
  },
} as const

/** HTML list of missing OAuth2 scopes, as the provider names them. */
export function scopeList(scopes: readonly string[]): string {
  const items = scopes.map((scope) => `<dd>${escapeHtml(scope)}</dd>`)
  return `\n<dl>${items.join('')}</dl>`
}

export function oneAddress(signedIn: string): string {
  return `\n<dl><dt>${signInTexts.other.signedIn}</dt><dd>${escapeHtml(signedIn)}</dd></dl>`
}

export function twoAddresses(expected: string, signedIn: string): string {
  const { other } = signInTexts
  return `\n<dl><dt>${other.expected}</dt><dd>${escapeHtml(expected)}</dd><dt>${other.signedIn}</dt><dd>${escapeHtml(signedIn)}</dd></dl>`
}

/** HTML of an error of the OAuth2 provider and the remedy for the error. */
export function failureDetails({ error, code, description, remedy }: ConsentFailure): string {
  const { failure } = signInTexts
  const text = [code === undefined ? error : `${error} (${code})`, description]
  const shown = escapeHtml(text.filter((each) => each !== undefined).join(': '))
  const action =
    remedy === undefined ? '' : `<dt>${failure.remedy}</dt><dd>${escapeHtml(remedy)}</dd>`
  return `\n<dl>${action}<dt>${failure.error}</dt><dd>${shown}</dd></dl>`
}
