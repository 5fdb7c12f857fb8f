import type { ConsentFailure } from '@posthorn/contracts/schemas/account-oauth2'
import { escapeHtml } from '../page-layout.ts'
import type { PageTexts } from '../texts/english.ts'
import { remedyOf } from './consent-failure.ts'

type SignInTexts = PageTexts['signIn']

/** HTML list of missing OAuth2 scopes, as the provider names them. */
export function scopeList(scopes: readonly string[]): string {
  const items = scopes.map((scope) => `<dd>${escapeHtml(scope)}</dd>`)
  return `\n<dl>${items.join('')}</dl>`
}

export function oneAddress(signedIn: string, { other }: SignInTexts): string {
  return `\n<dl><dt>${other.signedIn}</dt><dd>${escapeHtml(signedIn)}</dd></dl>`
}

/** Addresses of the mailbox to connect and of the user who signed in. */
export interface ShownAddresses {
  expected: string
  signedIn: string
}

export function twoAddresses(
  { expected, signedIn }: ShownAddresses,
  { other }: SignInTexts,
): string {
  return `\n<dl><dt>${other.expected}</dt><dd>${escapeHtml(expected)}</dd><dt>${other.signedIn}</dt><dd>${escapeHtml(signedIn)}</dd></dl>`
}

/** HTML of an error of the OAuth2 provider and the remedy for the error. */
export function failureDetails(
  consentFailure: ConsentFailure,
  { failure, remedies }: SignInTexts,
): string {
  const { error, code, description } = consentFailure
  const remedy = remedyOf(consentFailure)
  const text = [code === undefined ? error : `${error} (${code})`, description]
  const shown = escapeHtml(text.filter((each) => each !== undefined).join(': '))
  const action =
    remedy === undefined ? '' : `<dt>${failure.remedy}</dt><dd>${remedies[remedy]}</dd>`
  return `\n<dl>${action}<dt>${failure.error}</dt><dd>${shown}</dd></dl>`
}
