import {
  type AccountType,
  consentMembers,
  noNotifications,
  type OAuth2ProviderTraits,
} from './account-type.ts'

/**
 * Properties of accounts with IMAP and SMTP servers. IMAP notifications arrive on the connection of
 * the account's session, not through this installation's URLs or topics.
 */
export const imap: AccountType = {
  readsBy: 'imap',
  sendsBy: 'smtp',
  filesSent: 'client',
  notifications: noNotifications,
  hasSignatures: false,
}

/** Kinds of OAuth2 applications of providers without a mail API, by name. */
export const imapProviders = {
  mailRu: {
    login: 'consent',
    requiredMembers: consentMembers,
    servers: { global: { imap: ['imap.mail.ru', 993], smtp: ['smtp.mail.ru', 465] } },
  },
  // The client secret of an OAuth2 application is optional, because a public OAuth2 client has no
  // secret (RFC 6749 §2.1).
  generic: { login: 'consent', requiredMembers: ['clientId', 'redirectUrl'] },
} as const satisfies Record<string, OAuth2ProviderTraits>
