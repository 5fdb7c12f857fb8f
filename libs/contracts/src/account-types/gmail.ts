import { type ApiAccountType, consentMembers, type OAuth2ProviderTraits } from './account-type.ts'
import { gmailProjectUnits, gmailQuotas } from './gmail-quota.ts'

/** Properties of the mail system Gmail API. */
export const gmail: ApiAccountType = {
  readsBy: 'api',
  sendsBy: 'api',
  filesSent: 'server',
  apiName: 'the Gmail API',
  cursorPrefix: 'gmail',
  exportBatchSetting: 'gmailExportBatchSize',
  hasSignatures: true,
  notifications: {
    transport: 'pull',
    authentication: 'sender',
    // A sync-worker that takes over a Gmail account need not check the watch (registration for
    // notifications): a Gmail mailbox has only one watch, which the Gmail API does not list.
    isCheckedByHolder: false,
    // Requests for a watch (registration for Gmail notifications) may fail for about 90 s after an
    // OAuth2 application was created. Until then the Pub/Sub topic, or the permission to publish to
    // the topic, may not exist.
    maxRefusals: 3,
    isLossy: false,
  },
  // Maximum size of a sent message: 35 MiB, according to the method `messages.send` in the
  // discovery document of the Gmail API.
  mailbox: { placement: 'labels', appends: 'all', removes: false, maxSentBytes: 36_700_160 },
  limits: {
    ...gmailQuotas.since2026,
    accountWindowMs: 60_000,
    applicationUnits: gmailProjectUnits,
    applicationWindowMs: 60_000,
    uploadWindowMs: 60_000,
    // Google publishes no limit of concurrent requests per mailbox. The Gmail API refuses requests
    // when 6 or more are concurrent.
    workerConcurrency: 4,
    senderConcurrency: 1,
    senderPercent: 25,
    reservePercent: 5,
    defaultCost: 5,
  },
  quotas: gmailQuotas,
}

const servers = {
  global: { imap: ['imap.gmail.com', 993], smtp: ['smtp.gmail.com', 465] },
} as const

/** Kinds of OAuth2 applications for Google, by name. */
export const gmailProviders = {
  gmail: { api: 'gmail', login: 'consent', requiredMembers: consentMembers, servers },
  gmailService: {
    api: 'gmail',
    login: 'service',
    requiredMembers: ['serviceClient', 'serviceClientEmail'],
    keyAlternative: 'externalAccount',
    hasPubSub: true,
    servers,
  },
} as const satisfies Record<string, OAuth2ProviderTraits>
