import {
  type ApiAccountType,
  consentMembers,
  type OAuth2ProviderTraits,
  type ProviderServer,
} from './account-type.ts'

/**
 * Maximum requests per mailbox in 10 min. Microsoft Graph documents 10,000. The remaining requests
 * are for calls that the limiter does not count.
 */
const accountRequests = 9_000
/**
 * Maximum uploaded bytes per mailbox in 5 min. Microsoft Graph documents 150 MB. The remaining
 * bytes are for small bodies, which are not counted.
 */
const uploadBytes = 140_000_000

/** Properties of the mail system Microsoft Graph. */
export const graph: ApiAccountType = {
  readsBy: 'api',
  sendsBy: 'api',
  filesSent: 'server',
  apiName: 'Microsoft Graph',
  cursorPrefix: 'outlook',
  exportBatchSetting: 'outlookExportBatchSize',
  hasSignatures: false,
  subscriptionMember: 'outlookSubscription',
  notifications: {
    transport: 'push',
    authentication: 'secret',
    // A sync-worker that takes over a Microsoft Graph account must check the subscription: Graph
    // may remove a change notification subscription silently. The subscriptions of a mailbox can be
    // listed.
    isCheckedByHolder: true,
    maxRefusals: 1,
    // Microsoft Graph counts as a provider that loses notifications: about 20 % of its change
    // notifications do not arrive.
    isLossy: true,
  },
  mailbox: {
    placement: 'folder',
    appends: 'drafts',
    removes: true,
    // Limit of Exchange Online for the encoded bytes of a message (page "Exchange Online limits").
    maxSentBytes: 150 * 1024 * 1024,
  },
  limits: {
    accountUnits: accountRequests,
    accountWindowMs: 600_000,
    applicationUnits: 130_000,
    applicationWindowMs: 10_000,
    uploadBytes,
    uploadWindowMs: 300_000,
    // Microsoft documents a limit of 4 concurrent requests per application and mailbox ("Microsoft
    // Graph service-specific throttling limits").
    workerConcurrency: 3,
    senderConcurrency: 1,
    senderPercent: 25,
    reservePercent: 5,
    costs: {},
    defaultCost: 1,
  },
  quotas: {},
}

function exchange(imap: string, smtp: string): Record<'imap' | 'smtp', ProviderServer> {
  return { imap: [imap, 993], smtp: [smtp, 587] }
}

const shared = {
  api: 'graph',
  hasTenants: true,
  servers: {
    global: exchange('outlook.office365.com', 'smtp.office365.com'),
    'gcc-high': exchange('outlook.office365.us', 'smtp.office365.us'),
    dod: exchange('webmail.apps.mil', 'smtp.office365.us'),
    china: exchange('partner.outlook.cn', 'smtp.partner.outlook.cn'),
  },
} as const

/** Kinds of OAuth2 applications for Microsoft, by name. */
export const graphProviders = {
  outlook: { ...shared, login: 'consent', requiredMembers: [...consentMembers, 'authority'] },
  outlookService: {
    ...shared,
    login: 'service',
    requiredMembers: ['clientId', 'authority'],
    keyAlternative: 'clientSecret',
    hasDefaultScope: true,
  },
} as const satisfies Record<string, OAuth2ProviderTraits>
