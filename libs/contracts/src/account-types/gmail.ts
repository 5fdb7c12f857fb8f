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
    // A mailbox of the Gmail API has one watch, which the API does not list.
    isCheckedByHolder: false,
    // The Pub/Sub topic of a new application, or the permission to publish to the topic, may exist
    // only about 90 s after the application.
    maxRefusals: 3,
    isLossy: false,
  },
  // Maximum size of a sent message: discovery document of the Gmail API, `messages.send`, 35 MiB.
  mailbox: { placement: 'labels', appends: 'all', removes: false, maxSentBytes: 36_700_160 },
  limits: {
    ...gmailQuotas.since2026,
    accountWindowMs: 60_000,
    applicationUnits: gmailProjectUnits,
    applicationWindowMs: 60_000,
    uploadWindowMs: 60_000,
    // The limit of concurrent requests per mailbox is not published; the Gmail API refuses requests
    // from 6 on.
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

/** OAuth2 providers of Google, by kind of application. */
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
