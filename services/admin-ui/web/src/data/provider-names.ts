import type { OAuth2Provider } from '@posthorn/contracts/account-types'

/** Names of the kinds of OAuth2 applications, in the order in which the pages show them. */
export const providerNames: Readonly<Record<OAuth2Provider, string>> = {
  gmail: 'Google',
  gmailService: 'Google service account',
  outlook: 'Microsoft',
  outlookService: 'Microsoft without sign-ins',
  mailRu: 'Mail.ru',
  generic: 'Other provider',
}

/** Kinds of OAuth2 applications in the order of `providerNames`. */
export const providerKinds = Object.keys(providerNames) as OAuth2Provider[]
