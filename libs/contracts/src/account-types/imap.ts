import {
  type AccountType,
  consentMembers,
  noNotifications,
  type OAuth2ProviderTraits,
} from './account-type.ts'

/**
 * Properties of the mail system of IMAP and SMTP servers. The connection of a session receives the
 * notifications of IMAP.
 */
export const imap: AccountType = {
  readsBy: 'imap',
  sendsBy: 'smtp',
  filesSent: 'client',
  notifications: noNotifications,
  hasSignatures: false,
}

/** OAuth2 providers without a mail API, by kind of application. */
export const imapProviders = {
  mailRu: {
    login: 'consent',
    requiredMembers: consentMembers,
    servers: { global: { imap: ['imap.mail.ru', 993], smtp: ['smtp.mail.ru', 465] } },
  },
  // A client secret is not required: a public OAuth2 client has no secret (RFC 6749 §2.1).
  generic: { login: 'consent', requiredMembers: ['clientId', 'redirectUrl'] },
} as const satisfies Record<string, OAuth2ProviderTraits>
