import {
  type AccountType,
  consentMembers,
  noNotifications,
  type OAuth2ProviderTraits,
} from './account-type.ts'

/** Mail servers: IMAP and SMTP. The connection of a session receives the notifications of IMAP. */
export const imap: AccountType = {
  readsBy: 'imap',
  sendsBy: 'smtp',
  filesSent: 'client',
  notifications: noNotifications,
  hasSignatures: false,
}

/** OAuth2 providers without a mail API. */
export const imapProviders = {
  mailRu: {
    login: 'consent',
    requiredMembers: consentMembers,
    servers: { global: { imap: ['imap.mail.ru', 993], smtp: ['smtp.mail.ru', 465] } },
  },
  // RFC 6749 §2.1: a public client has no secret.
  generic: { login: 'consent', requiredMembers: ['clientId', 'redirectUrl'] },
} as const satisfies Record<string, OAuth2ProviderTraits>
