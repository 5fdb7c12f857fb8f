// Contracts when they were last recorded. Written by `make client-baseline`.

import type { Client } from '../../calls/client.ts'
import type { Base64 } from '../../calls/json-body.ts'

export interface AccountListEntry {
  account: string
  name: string
  type: 
    | 'imap'
    | 'sending'
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
    | 'oauth2'
    | 'delegated'
    | 'invalid'
  state: 
    | 'new'
    | 'init'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'unset'
    | 'other'
  stateDetail: 
    | 'new'
    | 'init'
    | 'connecting'
    | 'syncing'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'disconnected'
    | 'unset'
    | 'paused'
  email?: string
  app?: string
  counters: {
    events: Record<string, number>
  }
  webhooks?: string
  proxy?: string
  smtpEhloName?: string | null
  syncTime?: string
  lastError: LastError | null
}

export interface AccountRecord {
  account: string
  name: string
  state: 
    | 'new'
    | 'init'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'unset'
    | 'other'
  stateDetail: 
    | 'new'
    | 'init'
    | 'connecting'
    | 'syncing'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'disconnected'
    | 'unset'
    | 'paused'
  type: 
    | 'imap'
    | 'sending'
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
    | 'oauth2'
    | 'delegated'
    | 'invalid'
  email?: string
  app?: string
  counters: {
    events: Record<string, number>
  }
  webhooks?: string
  proxy?: string
  smtpEhloName?: string | null
  syncTime?: string
  expectedEmail?: string
  baseScopes?: 'imap' | 'api' | 'pubsub'
  oauth2?: {
    provider: string
    auth?: {
      user?: string
      delegatedUser?: string
      delegatedAccount?: string
    }
    useAuthServer?: boolean
    accessToken?: string
    refreshToken?: string
    expires?: string
    scope?: string[]
    tokenType?: string
    generated?: string
    refreshTokenGenerated?: string
    mailboxAddress?: string
    consentError?: {
      error: string
      description?: string
      code?: string
      remedy?: string
      time: string
    }
  }
  webhooksCustomHeaders?: KeyValue[]
  copy?: boolean | null
  logs?: boolean
  paused?: boolean
  notifyFrom?: string | null
  path?: string[] | null
  subconnections?: string[]
  imapIndexer?: string | null
  imap?: {
    useAuthServer?: boolean
    auth?: {
      user: string
      pass?: string
      accessToken?: string
    } | false
    host?: string
    port?: number
    secure?: boolean
    tls?: {
      rejectUnauthorized?: boolean
      minVersion?: 
        | 'TLSv1'
        | 'TLSv1.1'
        | 'TLSv1.2'
        | 'TLSv1.3'
      requireStartTls?: boolean
    }
    disableIMAP4rev2?: boolean
    resyncDelay?: number
    sentMailPath?: string | null
    draftsMailPath?: string | null
    junkMailPath?: string | null
    trashMailPath?: string | null
    archiveMailPath?: string | null
    disabled?: boolean
  }
  smtp?: {
    useAuthServer?: boolean
    auth?: {
      user: string
      pass?: string
      accessToken?: string
    } | false
    host?: string
    port?: number
    secure?: boolean
    tls?: {
      rejectUnauthorized?: boolean
      minVersion?: 
        | 'TLSv1'
        | 'TLSv1.1'
        | 'TLSv1.2'
        | 'TLSv1.3'
      requireStartTls?: boolean
    }
  }
  locale?: string
  tz?: string
  sendOnly?: boolean
  connections?: number
  syncError?: {
    path: string
    time: string
    error: string
  }
  quota?: {
    usage: number
    limit: number
    status: string
  } | false
  authFailureDisabledAt?: string
  outlookSubscription?: {
    id?: string
    expirationDateTime: string | null
    state: {
      state: 'created' | 'error'
      time?: number
      error: string | null
      retryCount?: number
      createRetryCount?: number
    }
  }
  smtpStatus: {
    created: string
    status: 'ok' | 'error'
    response?: string
    responseCode?: number
    code?: string
    command?: string
    description?: string
    networkRouting: {
      localAddress?: string
      name?: string
      proxy?: string
    } | null
  } | null
  lastError: LastError | null
}

export interface AccountRegistration {
  account: string | null
  name: string
  email?: string
  expectedEmail?: string
  path?: string[] | null
  subconnections?: string[]
  webhooks?: string
  webhooksCustomHeaders?: KeyValue[]
  copy?: boolean | null
  logs?: boolean
  paused?: boolean
  notifyFrom?: (string & {}) | 'now' | null
  proxy?: string
  smtpEhloName?: string | null
  imapIndexer?: 'full' | 'fast' | null
  imap?: ImapConfig | ImapDisabled | false
  smtp?: SmtpConfig | false
  oauth2?: {
    provider?: string
    auth?: {
      user?: string
      delegatedUser?: string
      delegatedAccount?: string
    }
    useAuthServer?: boolean
    accessToken?: string
    refreshToken?: string
    expires?: string
    authorize?: boolean
    redirectUrl?: string
  } | false
  locale?: string
  tz?: string
}

export interface AccountUpdate {
  email?: string
  expectedEmail?: string | null
  path?: string[] | null
  subconnections?: string[]
  webhooks?: string
  webhooksCustomHeaders?: KeyValue[]
  copy?: boolean | null
  logs?: boolean
  paused?: boolean
  notifyFrom?: (string & {}) | 'now' | null
  proxy?: string
  smtpEhloName?: string | null
  imap?: ImapUpdate | false
  smtp?: SmtpUpdate | false
  oauth2?: {
    provider?: string
    auth?: {
      user?: string
      delegatedUser?: string
      delegatedAccount?: string
    }
    useAuthServer?: boolean
    accessToken?: string
    refreshToken?: string
    expires?: string
    authorize?: boolean
    redirectUrl?: string
    partial?: boolean
  } | false
  locale?: string
  tz?: string
  name?: string
}

export interface Address {
  name?: string
  address: string
}

export interface AttachmentInfo {
  id: string
  contentType: string
  encodedSize: number
  embedded?: boolean
  inline?: boolean
  encodedInMessage?: boolean
  contentId?: string
  filename?: string
  method?: string
  content?: string
}

export interface AttachmentSource {
  filename?: string
  contentType?: string
  contentDisposition?: 'inline' | 'attachment'
  cid?: string
  encoding?: 'base64'
  content?: Base64
  reference?: string | false | null
}

export interface DraftSubmission {
  envelope?: {
    from?: (string & {}) | ''
    to?: string[]
  }
  sendAt?: string
  deliveryAttempts?: number
  gateway?: string
  dsn?: {
    id?: string
    return: 'headers' | 'full'
    notify?: ('never' | 'success' | 'failure' | 'delay')[]
    recipient?: string
  }
  proxy?: string
  localAddress?: string
  copy?: boolean | null
  sentMailPath?: string
}

export interface FlagUpdate {
  flags?: {
    add?: string[]
    delete?: string[]
    set?: string[]
  }
  labels?: {
    add?: string[]
    delete?: string[]
  }
}

export interface ImapConfig {
  useAuthServer?: boolean
  auth?: {
    user: string
    pass?: string
    accessToken?: string | false
  } | false
  host: string
  port: number
  secure?: boolean
  tls?: {
    rejectUnauthorized?: boolean
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    requireStartTls?: boolean
  }
  disableIMAP4rev2?: boolean
  resyncDelay?: number
  sentMailPath?: string | null
  draftsMailPath?: string | null
  junkMailPath?: string | null
  trashMailPath?: string | null
  archiveMailPath?: string | null
  disabled?: boolean
}

export interface ImapDisabled {
  useAuthServer?: boolean
  auth?: {
    user: string
    pass?: string
    accessToken?: string | false
  } | false
  host?: string
  port?: number
  secure?: boolean
  tls?: {
    rejectUnauthorized?: boolean
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    requireStartTls?: boolean
  }
  disableIMAP4rev2?: boolean
  resyncDelay?: number
  sentMailPath?: string | null
  draftsMailPath?: string | null
  junkMailPath?: string | null
  trashMailPath?: string | null
  archiveMailPath?: string | null
  disabled: true
}

export interface ImapUpdate {
  useAuthServer?: boolean
  auth?: {
    user: string
    pass?: string
    accessToken?: string | false
  } | false
  host?: string
  port?: number
  secure?: boolean
  tls?: {
    rejectUnauthorized?: boolean
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    requireStartTls?: boolean
  }
  partial?: boolean
  disableIMAP4rev2?: boolean
  resyncDelay?: number
  sentMailPath?: string | null
  draftsMailPath?: string | null
  junkMailPath?: string | null
  trashMailPath?: string | null
  archiveMailPath?: string | null
  disabled?: boolean
}

export interface KeyValue {
  key: string
  value?: string
}

export interface LastError {
  response?: string
  description?: string
  serverResponseCode?: string
  tokenRequest?: {
    url?: string
    method?: string
    grant?: string
    provider?: string
    status?: number
    clientId?: string
    authority?: string
    serviceClient?: string
    serviceClientEmail?: string
    code?: string
    flag?: {
      message: string
      code?: string
    }
    userFlag?: {
      message: string
    }
    scopes?: string[]
    response?: Record<string, unknown>
  }
}

export interface MailboxEntry {
  path: string
  delimiter: string | null
  parentPath?: string
  name: string
  listed: boolean
  subscribed: boolean
  specialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  noInferiors?: boolean
  id?: string
  noSelect?: boolean
  specialUseSource?: 'user' | 'extension' | 'name'
  messages: number | false
  uidNext: number | false
  status?: {
    messages?: number
    unseen?: number
    error?: string
  }
}

export interface MessageDetail {
  id: string
  uid?: number
  emailId?: string
  threadId?: string
  path?: string
  date?: string
  flags: string[]
  unseen?: boolean
  flagged?: boolean
  answered?: boolean
  draft?: boolean
  size?: number
  subject?: string
  preview?: string
  from?: ReadAddress
  sender?: ReadAddress
  replyTo?: ReadAddress[]
  to?: ReadAddress[]
  cc?: ReadAddress[]
  bcc?: ReadAddress[]
  messageId?: string
  inReplyTo?: string
  labels?: string[]
  category?: 
    | 'primary'
    | 'social'
    | 'promotions'
    | 'updates'
    | 'forums'
  attachments?: AttachmentInfo[]
  text?: TextInfo
  messageSpecialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  incomplete?: true
  incompleteIn?: ('envelope' | 'structure' | 'flags')[]
  isAutoReply?: boolean
  bounces?: {
    message: string
    recipient: string
    action: string
    response: {
      message: string
      status?: string
    }
    date: string
  }[]
  specialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  headers?: Record<string, string[]>
}

export interface MessageEntry {
  id: string
  uid?: number
  emailId?: string
  threadId?: string
  path?: string
  date?: string
  flags: string[]
  unseen?: boolean
  flagged?: boolean
  answered?: boolean
  draft?: boolean
  size?: number
  subject?: string
  preview?: string
  from?: ReadAddress
  sender?: ReadAddress
  replyTo?: ReadAddress[]
  to?: ReadAddress[]
  cc?: ReadAddress[]
  bcc?: ReadAddress[]
  messageId?: string
  inReplyTo?: string
  labels?: string[]
  category?: 
    | 'primary'
    | 'social'
    | 'promotions'
    | 'updates'
    | 'forums'
  attachments?: AttachmentInfo[]
  text?: TextInfo
  messageSpecialUse?: 
    | '\\All'
    | '\\Archive'
    | '\\Drafts'
    | '\\Flagged'
    | '\\Junk'
    | '\\Sent'
    | '\\Trash'
    | '\\Inbox'
  incomplete?: true
  incompleteIn?: ('envelope' | 'structure' | 'flags')[]
  isAutoReply?: boolean
  bounces?: {
    message: string
    recipient: string
    action: string
    response: {
      message: string
      status?: string
    }
    date: string
  }[]
}

export interface MessagePage {
  total: number
  page: number
  pages: number
  nextPageCursor: string | null
  prevPageCursor: string | null
  messages: MessageEntry[]
}

export interface Permissions {
  actions?: ('read' | 'write' | 'send' | 'destructive')[]
  groups?: (
    | 'account'
    | 'mailbox'
    | 'message'
    | 'submit'
    | 'outbox'
    | 'export'
    | 'template'
    | 'blocklist'
    | 'webhook'
    | 'gateway'
    | 'events'
    | 'diagnostics'
    | 'logs')[]
}

export interface Problem {
  statusCode: number
  error: string
  message: string
  code?: string
  fields?: {
    message: string
    key: string
    path: string
  }[]
  state?: string
  ttl?: number
  existingAccount?: string
  requestedScope?: string
  requiredPermission?: {
    action: string
    group: string
  }
  remoteAddress?: string
  info?: Record<string, unknown>
  details?: unknown
  attributes?: Record<string, unknown>
}

export interface ReadAddress {
  name?: string
  address?: string
}

export interface Reference {
  message?: string
  action?: 'forward' | 'reply' | 'reply-all'
  inline?: boolean
  forwardAttachments?: boolean
  ignoreMissing?: boolean
  messageId?: string
  threadId?: string
  documentStore?: boolean
}

export interface Restrictions {
  referrers?: string[] | null
  addresses?: string[] | null
  rateLimit?: {
    maxRequests: number
    timeWindow: number
  } | null
}

export interface Search {
  seq?: string
  uid?: string
  answered?: boolean
  deleted?: boolean
  draft?: boolean
  unseen?: boolean
  seen?: boolean
  flagged?: boolean
  from?: string
  to?: string
  cc?: string
  bcc?: string
  body?: string
  subject?: string
  larger?: number
  smaller?: number
  modseq?: number
  before?: string
  since?: string
  sentBefore?: string
  sentSince?: string
  emailId?: string
  threadId?: string
  header?: Record<string, string | true>
  gmailRaw?: string
  labels?: {
    has?: string[]
    not?: string[]
  }
  emailIds?: string[]
}

export interface Settings {
  webhooks?: string | null
  webhooksEnabled?: boolean | null
  webhookEvents?: string[] | null
  webhooksCustomHeaders?: KeyValue[] | null
  notifyHeaders?: string[] | null
  notifyText?: boolean | null
  notifyTextSize?: number | null
  notifyWebSafeHtml?: boolean | null
  notifyAttachments?: boolean | null
  notifyAttachmentList?: boolean | null
  notifyAttachmentSize?: number | null
  notifyCalendarEvents?: boolean | null
  inboxNewOnly?: boolean | null
  serviceUrl?: string | null
  notificationBaseUrl?: string | null
  gmailSubscriptionTtl?: number | null
  serviceSecret?: string | null
  serviceSecretOverlap?: number | null
  webhookSecrets?: {
    target: string
    secret: string
  }[] | null
  webhooksRetrySchedule?: number[] | null
  webhooksConcurrency?: number | null
  webhooksRate?: number | null
  webhooksAttemptLog?: boolean | null
  webhooksAttemptLogDays?: number | null
  webhooksKeepFailedDays?: number | null
  webhookTargets?: {
    target: string
    retrySchedule?: number[]
    concurrency?: number
    rate?: number
  }[] | null
  authServer?: string | null
  authServerProtocol?: boolean | null
  ignoreMailCertErrors?: boolean | null
  smtpEhloName?: string | null
  proxyEnabled?: boolean | null
  proxyUrl?: string | null
  httpProxyEnabled?: boolean | null
  httpProxyUrl?: string | null
  localAddresses?: string[] | null
  smtpStrategy?: 'default' | 'dedicated' | 'random' | null
  imapStrategy?: 'default' | 'dedicated' | 'random' | null
  enableApiProxy?: boolean | null
  tokenAuditLog?: boolean | null
  enableOAuthTokensApi?: boolean | null
  deliveryAttempts?: number | null
  trackOpens?: boolean | null
  trackClicks?: boolean | null
  trackRepeatWindow?: number | null
  templateHeader?: string | null
  templateHtmlHead?: string | null
  locale?: string | null
  timezone?: string | null
  pageBrandName?: string | null
  generateEmailSummary?: boolean | null
  openAiAPIKey?: string | null
  openAiAPIUrl?: string | null
  openAiModel?: string | null
  openAiPrompt?: string | null
  openAiTemperature?: number | null
  openAiTopP?: number | null
  openAiMaxTokens?: number | null
  scriptEnv?: string | null
  exportMaxConcurrent?: number | null
  exportMaxGlobalConcurrent?: number | null
  exportMaxMessages?: number | null
  exportMaxSize?: number | null
  gmailExportBatchSize?: number | null
  outlookExportBatchSize?: number | null
  resolveGmailCategories?: boolean | null
  imapIndexer?: 'full' | 'fast' | null
  imapClientName?: string | null
  imapClientVersion?: string | null
  imapClientVendor?: string | null
  imapClientSupportUrl?: string | null
  logs?: {
    all?: boolean
    maxLogLines?: number
  } | null
  imapProxyServerEnabled?: boolean | null
  imapProxyServerPort?: number | null
  imapProxyServerHost?: string | null
  imapProxyServerTLSEnabled?: boolean | null
  imapProxyServerProxy?: boolean | null
  imapProxyServerPassword?: string | null
  smtpServerEnabled?: boolean | null
  smtpServerPort?: number | null
  smtpServerHost?: string | null
  smtpServerTLSEnabled?: boolean | null
  smtpServerProxy?: boolean | null
  smtpServerAuthEnabled?: boolean | null
  smtpServerPassword?: string | null
}

export interface SmtpConfig {
  useAuthServer?: boolean
  auth?: {
    user: string
    pass?: string
    accessToken?: string | false
  } | false
  host: string
  port: number
  secure?: boolean
  tls?: {
    rejectUnauthorized?: boolean
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    requireStartTls?: boolean
  }
}

export interface SmtpUpdate {
  useAuthServer?: boolean
  auth?: {
    user: string
    pass?: string
    accessToken?: string | false
  } | false
  host?: string
  port?: number
  secure?: boolean
  tls?: {
    rejectUnauthorized?: boolean
    minVersion?: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'
    requireStartTls?: boolean
  }
  partial?: boolean
}

export interface Submission {
  from?: Address
  replyTo?: Address[]
  to?: Address[]
  cc?: Address[]
  bcc?: Address[]
  envelope?: {
    from?: (string & {}) | ''
    to?: string[]
  }
  subject?: string
  text?: string
  html?: string
  previewText?: string
  messageId?: string
  headers?: Record<string, string | string[]>
  attachments?: AttachmentSource[]
  reference?: Reference
  raw?: Base64
  mailMerge?: {
    to: Address
    messageId?: string
    params?: Record<string, unknown>
    sendAt?: string
  }[]
  template?: string
  render?: {
    format?: 'html' | 'markdown'
    params?: Record<string, unknown>
  } | false
  sendAt?: string
  deliveryAttempts?: number
  gateway?: string
  dsn?: {
    id?: string
    return: 'headers' | 'full'
    notify?: ('never' | 'success' | 'failure' | 'delay')[]
    recipient?: string
  }
  proxy?: string
  localAddress?: string
  copy?: boolean | null
  sentMailPath?: string
  trackOpens?: boolean
  trackClicks?: boolean
  listId?: string
  baseUrl?: string
  locale?: string
  tz?: string
  dryRun?: boolean
}

export interface SubmissionResult {
  response: string
  messageId?: string
  sendAt?: string
  queueId?: string
  reference?: {
    message?: string
    threadId?: string
    success: boolean
    error?: string
  }
  preview?: string
  skipped?: {
    reason: string
    listId: string
  }
  idempotency?: {
    key: string
    status: 'MISS' | 'HIT'
  }
  mailMerge?: {
    success: boolean
    to: {
      name?: string
      address: string
    }
    messageId?: string
    queueId?: string
    sendAt?: string
    error?: string
    code?: string
    statusCode?: number | null
    skipped?: {
      reason: string
      listId: string
    }
  }[]
}

export interface TextInfo {
  id: string
  encodedSize: {
    plain?: number
    html?: number
  }
  plain?: string
  html?: string
  hasMore?: boolean
  webSafe?: boolean
}

export interface TokenLogEntry {
  time: string
  ip: string | null
  method: string | null
  path: string | null
  action: string | null
  group: string | null
  account: string | null
  status: 'allowed' | 'denied'
  reason: string | null
}

export interface TokenRecord {
  id: string
  account: string | null
  description?: string
  metadata?: string
  ip?: string
  remoteAddress?: string
  scopes: string[]
  restrictions: Restrictions | null
  permissions: Permissions | null
  created: string
  expires?: string
  access: {
    time: string | null
    ip: string | null
  }
}

export interface TokenRequest {
  account?: string
  description?: string
  scopes?: ('api' | 'smtp' | 'imap-proxy')[]
  metadata?: string
  restrictions?: Restrictions | null
  permissions?: Permissions | null
  expires?: string
  ip?: string
}

export interface CreateAccountInput {
  body: AccountRegistration
}

export interface CreateAccountResult {
  account?: string
  state?: 'new' | 'existing'
  redirect?: string
}

export interface DeleteAccountInput {
  account: string
  revoke?: boolean
}

export interface DeleteAccountResult {
  account: string
  deleted: boolean
}

export interface GetAccountInput {
  account: string
  quota?: boolean
  timeout?: number
}

export type GetAccountResult = AccountRecord

export interface UpdateAccountInput {
  account: string
  body: AccountUpdate
}

export interface UpdateAccountResult {
  account: string
  redirect?: string
}

export interface ListAccountsInput {
  page?: number
  pageSize?: number
  state?: 
    | 'new'
    | 'init'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'unset'
    | 'other'
    | 'connecting'
    | 'syncing'
    | 'disconnected'
    | 'paused'
  query?: string
}

export interface ListAccountsResult {
  total: number
  page: number
  pages: number
  query: string | false
  state: string
  accounts: AccountListEntry[]
}

export interface CreateAuthenticationFormInput {
  body: {
    account?: string | null
    name?: string
    email?: string
    expectedEmail?: string
    delegated?: boolean
    notifyFrom?: (string & {}) | 'now' | null
    subconnections?: string[]
    path?: string[] | null
    redirectUrl: string
    type?: string | false
  }
}

export interface CreateAuthenticationFormResult {
  url: string
}

export interface GetAutoconfigInput {
  email: string
}

export interface GetAutoconfigResult {
  imap: {
    auth: {
      user: string
    }
    host: string
    port: number
    secure: boolean
  } | false
  smtp: {
    auth: {
      user: string
    }
    host: string
    port: number
    secure: boolean
  } | false
  appPassword?: {
    required: boolean
    provider: string
    instructions: string
  }
  _source?: string
}

export interface AddToBlocklistInput {
  listId: string
  body: {
    account: string
    recipient: string
    reason?: string
  }
}

export interface AddToBlocklistResult {
  success: boolean
  added: boolean
}

export interface GetBlocklistInput {
  listId: string
  page?: number
  pageSize?: number
}

export interface GetBlocklistResult {
  listId: string
  total: number
  page: number
  pages: number
  addresses: {
    recipient: string
    account: string
    messageId?: string
    source: string
    reason: string
    remoteAddress?: string
    userAgent?: string
    created: string
  }[]
}

export interface RemoveFromBlocklistInput {
  listId: string
  recipient: string
}

export interface RemoveFromBlocklistResult {
  deleted: boolean
}

export interface ListBlocklistsInput {
  page?: number
  pageSize?: number
}

export interface ListBlocklistsResult {
  total: number
  page: number
  pages: number
  blocklists: {
    listId: string
    count: number
  }[]
}

export interface FollowChangesInput {
  lastEventId?: string
}

export interface CreateExportInput {
  account: string
  body: {
    folders?: string[]
    startDate: string
    endDate: string
    textType?: 'plain' | 'html' | '*'
    maxBytes?: number
    includeAttachments?: boolean
  }
}

export interface CreateExportResult {
  exportId: string
  status: 'queued'
  created: string
}

export interface DeleteExportInput {
  account: string
  exportId: string
}

export interface DeleteExportResult {
  deleted: boolean
}

export interface GetExportInput {
  account: string
  exportId: string
}

export interface GetExportResult {
  exportId: string
  status: 
    | 'queued'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'cancelled'
  phase?: 'indexing' | 'exporting' | 'complete'
  folders: string[]
  startDate: string
  endDate: string
  isEncrypted: true
  progress: {
    foldersScanned: number
    foldersTotal: number
    messagesQueued: number
    messagesExported: number
    messagesSkipped: number
    bytesWritten: number
  }
  created: string
  expiresAt: string
  estimatedEnd?: string
  truncated: boolean
  error: string | null
}

export interface DownloadExportInput {
  account: string
  exportId: string
  range?: string
  ifRange?: string
}

export interface ListAllExportsInput {
  page?: number
  pageSize?: number
  account?: string
  status?: 
    | 'queued'
    | 'processing'
    | 'completed'
    | 'failed'
    | 'cancelled'
}

export interface ListAllExportsResult {
  total: number
  page: number
  pages: number
  storedBytes: number
  maxStoredBytes: number
  exports: {
    exportId: string
    status: 
      | 'queued'
      | 'processing'
      | 'completed'
      | 'failed'
      | 'cancelled'
    phase?: 'indexing' | 'exporting' | 'complete'
    folders: string[]
    startDate: string
    endDate: string
    isEncrypted: true
    progress: {
      foldersScanned: number
      foldersTotal: number
      messagesQueued: number
      messagesExported: number
      messagesSkipped: number
      bytesWritten: number
    }
    created: string
    expiresAt: string
    estimatedEnd?: string
    truncated: boolean
    error: string | null
    account: string
    errorCode: string | null
    startedAt: string | null
    finishedAt: string | null
    unavailableSince: string | null
    worker: string | null
    storedBytes: number
  }[]
}

export interface ListExportsInput {
  account: string
  page?: number
  pageSize?: number
}

export interface ListExportsResult {
  total: number
  page: number
  pages: number
  exports: {
    exportId: string
    status: 
      | 'queued'
      | 'processing'
      | 'completed'
      | 'failed'
      | 'cancelled'
    created: string
    expiresAt: string
  }[]
}

export interface CreateGatewayInput {
  body: {
    gateway: string | null
    name: string
    user?: string | null
    pass?: string | null
    host: string
    port: number
    secure?: boolean
  }
}

export interface CreateGatewayResult {
  gateway: string
  state: 'existing' | 'new'
}

export interface DeleteGatewayInput {
  gateway: string
}

export interface DeleteGatewayResult {
  gateway: string
  deleted: boolean
}

export interface GetGatewayInput {
  gateway: string
}

export interface GetGatewayResult {
  gateway: string
  name: string
  deliveries: number
  lastUse: string | null
  lastError: {
    created: number
    status: 'error'
    response?: string
    responseCode?: number
    code?: string
    command?: string
    description?: string
    networkRouting?: Record<string, never> | null
  } | null
  user: string | null
  pass?: string
  host: string
  port: number
  secure: boolean
}

export interface ListGatewaysInput {
  page?: number
  pageSize?: number
}

export interface ListGatewaysResult {
  total: number
  page: number
  pages: number
  gateways: {
    gateway: string
    name: string
    deliveries: number
    lastUse: string | null
    lastError: {
      created: number
      status: 'error'
      response?: string
      responseCode?: number
      code?: string
      command?: string
      description?: string
      networkRouting?: Record<string, never> | null
    } | null
  }[]
}

export interface UpdateGatewayInput {
  gateway: string
  body: {
    name?: string
    user?: string | null
    pass?: string | null
    host?: string
    port?: number
    secure?: boolean
  }
}

export interface UpdateGatewayResult {
  gateway: string
}

export type DeleteLicenseInput = Record<string, never>

export interface DeleteLicenseResult {
  active: boolean
  details: boolean
  type: string
}

export type GetLicenseInput = Record<string, never>

export interface GetLicenseResult {
  active: boolean
  type: string
  details: {
    application?: string
    key?: string
    licensedTo?: string
    hostname?: string
    created?: string
    trial?: boolean
    lt?: boolean
    expires?: string
  } | false
  suspended: boolean
}

export interface SetLicenseInput {
  body: {
    license: string
  }
}

export interface SetLicenseResult {
  active: boolean
  type: string
  details: {
    application?: string
    key?: string
    licensedTo?: string
    hostname?: string
    created?: string
    trial?: boolean
    lt?: boolean
    expires?: string
  } | false
  suspended: boolean
}

export interface GetLogsInput {
  account: string
}

export interface CreateMailboxInput {
  account: string
  timeout?: number
  body: {
    path: string | string[]
  }
}

export interface CreateMailboxResult {
  path: string
  mailboxId?: string
  created: boolean
}

export interface DeleteMailboxInput {
  account: string
  path: string
  timeout?: number
}

export interface DeleteMailboxResult {
  path: string
  mailboxId?: string
  deleted: boolean
}

export interface UpdateMailboxInput {
  account: string
  timeout?: number
  body: {
    path: string
    newPath?: string | string[]
    subscribed?: boolean
  }
}

export interface UpdateMailboxResult {
  path: string
  newPath?: string
  mailboxId?: string
  renamed?: boolean
  subscribed?: boolean
}

export interface ListMailboxesInput {
  account: string
  counters?: boolean
  timeout?: number
}

export interface ListMailboxesResult {
  mailboxes: MailboxEntry[]
}

export interface DeleteMessageInput {
  account: string
  message: string
  force?: boolean
  timeout?: number
}

export interface DeleteMessageResult {
  deleted: boolean
  moved?: {
    destination: string
    message?: string
  }
}

export interface UpdateMessageInput {
  account: string
  message: string
  timeout?: number
  body: FlagUpdate
}

export interface UpdateMessageResult {
  flags?: {
    add?: boolean
    delete?: boolean
    set?: boolean
    result?: string[]
  }
  labels?: {
    add?: boolean
    delete?: boolean
    set?: boolean
    result?: string[]
  }
}

export interface GetMessageInput {
  account: string
  message: string
  maxBytes?: number
  textType?: 'html' | 'plain' | '*'
  webSafeHtml?: boolean
  embedAttachedImages?: boolean
  preProcessHtml?: boolean
  markAsSeen?: boolean
  timeout?: number
}

export type GetMessageResult = MessageDetail

export interface DeleteMessagesInput {
  account: string
  path: string
  force?: boolean
  timeout?: number
  body: {
    search: Search
  }
}

export interface DeleteMessagesResult {
  deleted: boolean
  moved?: {
    destination: string
    idMap?: string[][]
    emailIds?: string[]
  }
  deletedMessages?: {
    emailIds?: string[]
  }
}

export interface MoveMessageInput {
  account: string
  message: string
  timeout?: number
  body: {
    path: string
    source?: string
  }
}

export interface MoveMessageResult {
  path: string
  id?: string
  uid?: number
}

export interface MoveMessagesInput {
  account: string
  path: string
  timeout?: number
  body: {
    search: Search
    path: string
  }
}

export interface MoveMessagesResult {
  path: string
  idMap?: string[][]
  emailIds?: string[]
}

export interface UpdateMessagesInput {
  account: string
  path: string
  timeout?: number
  body: {
    search: Search
    update: FlagUpdate
  }
}

export interface UpdateMessagesResult {
  flags?: {
    add?: boolean
    delete?: boolean
    set?: boolean
  }
  labels?: {
    add?: boolean
    delete?: boolean
    set?: boolean
  }
  emailIds?: string[]
}

export interface ListMessagesInput {
  account: string
  path: string
  cursor?: string
  page?: number
  pageSize?: number
  timeout?: number
}

export type ListMessagesResult = MessagePage

export interface GetAttachmentInput {
  account: string
  attachment: string
  timeout?: number
}

export interface GetMessageSourceInput {
  account: string
  message: string
  timeout?: number
}

export interface GetTextInput {
  account: string
  text: string
  maxBytes?: number
  textType?: 'html' | 'plain' | '*'
  webSafeHtml?: boolean
  documentStore?: boolean
  timeout?: number
}

export interface GetTextResult {
  plain?: string
  html?: string
  hasMore?: boolean
  webSafe?: boolean
}

export interface SearchMessagesInput {
  account: string
  path?: string
  cursor?: string
  page?: number
  pageSize?: number
  useOutlookSearch?: boolean
  documentStore?: boolean
  timeout?: number
  body: {
    search: Search
  }
}

export type SearchMessagesResult = MessagePage

export interface CheckOAuth2AppInput {
  app: string
  timeout?: number
  body?: {
    account?: string
    testConnection?: boolean
  }
}

export interface CheckOAuth2AppResult {
  app: string
  provider: 
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
  authMethod: string | null
  account: string | null
  ok: boolean
  failedStep: string | null
  steps: {
    id: string
    label: string
    status: 'ok' | 'fail' | 'skip'
    message: string | null
    hint?: string
  }[]
}

export interface CreateOAuth2AppInput {
  body: {
    name: string
    provider: 
      | 'gmail'
      | 'gmailService'
      | 'outlook'
      | 'outlookService'
      | 'mailRu'
      | 'generic'
    enabled?: boolean
    description?: string
    title?: string
    includeInListing?: boolean
    clientId?: string
    redirectUrl?: string
    extraScopes?: string[]
    skipScopes?: string[]
    authority?: string
    cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
    serviceClient?: string
    serviceClientEmail?: string
    googleProjectId?: string | false | null
    googleWorkspaceAccounts?: boolean
    googleTopicName?: string | false | null
    googleSubscriptionName?: string | false | null
    pubSubApp?: string | false | null
    issuer?: string
    authorizeUrl?: string
    tokenUrl?: string
    userinfoUrl?: string
    revokeUrl?: string
    scopes?: string[]
    imap?: {
      host: string
      port: number
      secure?: boolean
    }
    smtp?: {
      host: string
      port: number
      secure?: boolean
    }
    clientSecret?: string
    serviceKey?: string
    externalAccount?: string
    baseScopes?: 'imap' | 'api' | 'pubsub'
    authMethod?: 'serviceKey' | 'externalAccount'
  }
}

export interface CreateOAuth2AppResult {
  id: string
  created: boolean
  warnings?: string[]
}

export interface ListOAuth2AppsInput {
  page?: number
  pageSize?: number
}

export interface ListOAuth2AppsResult {
  total: number
  page: number
  pages: number
  apps: {
    id: string
    name: string
    provider: 
      | 'gmail'
      | 'gmailService'
      | 'outlook'
      | 'outlookService'
      | 'mailRu'
      | 'generic'
    enabled: boolean
    created: string
    updated: string
    description?: string
    title?: string
    includeInListing?: boolean
    clientId?: string
    redirectUrl?: string
    extraScopes?: string[]
    skipScopes?: string[]
    authority?: string
    cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
    serviceClient?: string
    serviceClientEmail?: string
    googleProjectId?: string | false | null
    googleWorkspaceAccounts?: boolean
    googleTopicName?: string | false | null
    googleSubscriptionName?: string | false | null
    pubSubApp?: string | false | null
    baseScopes?: 'imap' | 'api' | 'pubsub'
    authMethod?: 'serviceKey' | 'externalAccount'
    issuer?: string
    authorizeUrl?: string
    tokenUrl?: string
    userinfoUrl?: string
    revokeUrl?: string
    scopes?: string[]
    imap?: {
      host: string
      port: number
      secure?: boolean
    }
    smtp?: {
      host: string
      port: number
      secure?: boolean
    }
    tenant?: string
    clientSecret?: string
    serviceKey?: string
    externalAccount?: string
    lastError: LastError | null
    pubSubError: {
      message: string
      description: string | null
    } | null
  }[]
}

export interface DeleteOAuth2AppInput {
  app: string
}

export interface DeleteOAuth2AppResult {
  id: string
  deleted: boolean
  accounts: number
}

export interface GetOAuth2AppInput {
  app: string
}

export interface GetOAuth2AppResult {
  id: string
  name: string
  provider: 
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
  enabled: boolean
  created: string
  updated: string
  description?: string
  title?: string
  includeInListing?: boolean
  clientId?: string
  redirectUrl?: string
  extraScopes?: string[]
  skipScopes?: string[]
  authority?: string
  cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
  serviceClient?: string
  serviceClientEmail?: string
  googleProjectId?: string | false | null
  googleWorkspaceAccounts?: boolean
  googleTopicName?: string | false | null
  googleSubscriptionName?: string | false | null
  pubSubApp?: string | false | null
  baseScopes?: 'imap' | 'api' | 'pubsub'
  authMethod?: 'serviceKey' | 'externalAccount'
  issuer?: string
  authorizeUrl?: string
  tokenUrl?: string
  userinfoUrl?: string
  revokeUrl?: string
  scopes?: string[]
  imap?: {
    host: string
    port: number
    secure?: boolean
  }
  smtp?: {
    host: string
    port: number
    secure?: boolean
  }
  tenant?: string
  clientSecret?: string
  serviceKey?: string
  externalAccount?: string
  lastError: LastError | null
  pubSubError: {
    message: string
    description: string | null
  } | null
  accounts: number
  quotaUse: {
    date: string
    requests: number
    units: number
    limited: number
  }[]
}

export interface UpdateOAuth2AppInput {
  app: string
  body: {
    name?: string
    enabled?: boolean
    description?: string
    title?: string
    includeInListing?: boolean
    clientId?: string | false | null
    redirectUrl?: string | false | null
    extraScopes?: string[]
    skipScopes?: string[]
    authority?: string
    cloud?: 'global' | 'gcc-high' | 'dod' | 'china'
    serviceClient?: string | false | null
    serviceClientEmail?: string
    googleProjectId?: string | false | null
    googleWorkspaceAccounts?: boolean
    googleTopicName?: string | false | null
    googleSubscriptionName?: string | false | null
    pubSubApp?: string | false | null
    issuer?: string
    authorizeUrl?: string
    tokenUrl?: string
    userinfoUrl?: string
    revokeUrl?: string
    scopes?: string[]
    imap?: {
      host: string
      port: number
      secure?: boolean
    }
    smtp?: {
      host: string
      port: number
      secure?: boolean
    }
    clientSecret?: string
    serviceKey?: string
    externalAccount?: string
    tenant?: string
  }
}

export interface UpdateOAuth2AppResult {
  id: string
  updated: boolean
  warnings?: string[]
}

export interface GetOAuthTokenInput {
  account: string
  timeout?: number
}

export interface GetOAuthTokenResult {
  account: string
  user: string
  accessToken: string
  provider: 
    | 'gmail'
    | 'gmailService'
    | 'outlook'
    | 'outlookService'
    | 'mailRu'
    | 'generic'
  app?: string
  registeredScopes?: string[]
  expires?: string
  cached: boolean
}

export interface GetPubSubStatusInput {
  page?: number
  pageSize?: number
}

export interface GetPubSubStatusResult {
  total: number
  page: number
  pages: number
  apps: {
    id: string
    name: string | null
    lastError: {
      response: string
    } | null
    pubSubError: {
      message: string
      description: string | null
    } | null
  }[]
}

export interface DeleteOutboxEntryInput {
  queueId: string
  timeout?: number
}

export interface DeleteOutboxEntryResult {
  deleted: boolean
}

export interface GetOutboxEntryInput {
  queueId: string
}

export interface GetOutboxEntryResult {
  queueId: string
  account: string
  source: 'api' | 'smtp'
  state: 
    | 'queued'
    | 'held'
    | 'sent'
    | 'failed'
    | 'bounced'
  messageId: string
  envelope: {
    from: string
    to: string[]
  }
  subject: string | null
  gateway: string | null
  proxy: string | null
  localAddress: string | null
  idempotencyKey: string | null
  useStructuredFormat: boolean
  created: string
  scheduled: string
  nextAttempt: string | false
  attemptsMade: number
  attempts: number
  progress: {
    status: 
      | 'queued'
      | 'processing'
      | 'smtp-starting'
      | 'smtp-completed'
      | 'submitted'
      | 'error'
    response?: string
    messageId?: string
    originalMessageId?: string
    error?: {
      message: string
      code?: string
      statusCode?: number
      networkRouting?: {
        localAddress?: string
        name?: string
        proxy?: string
      } | null
    }
  }
}

export interface HoldOutboxEntryInput {
  queueId: string
  timeout?: number
}

export interface HoldOutboxEntryResult {
  held: boolean
}

export interface ListOutboxInput {
  page?: number
  pageSize?: number
  account?: string
  state?: 
    | 'queued'
    | 'held'
    | 'sent'
    | 'failed'
    | 'bounced'
}

export interface ListOutboxResult {
  total: number
  page: number
  pages: number
  messages: {
    queueId: string
    account: string
    source: 'api' | 'smtp'
    state: 
      | 'queued'
      | 'held'
      | 'sent'
      | 'failed'
      | 'bounced'
    messageId: string
    envelope: {
      from: string
      to: string[]
    }
    subject: string | null
    gateway: string | null
    proxy: string | null
    localAddress: string | null
    idempotencyKey: string | null
    useStructuredFormat: boolean
    created: string
    scheduled: string
    nextAttempt: string | false
    attemptsMade: number
    attempts: number
    progress: {
      status: 
        | 'queued'
        | 'processing'
        | 'smtp-starting'
        | 'smtp-completed'
        | 'submitted'
        | 'error'
      response?: string
      messageId?: string
      originalMessageId?: string
      error?: {
        message: string
        code?: string
        statusCode?: number
        networkRouting?: {
          localAddress?: string
          name?: string
          proxy?: string
        } | null
      }
    }
  }[]
}

export interface ReleaseOutboxEntryInput {
  queueId: string
  timeout?: number
}

export interface ReleaseOutboxEntryResult {
  released: boolean
}

export interface SendOutboxEntryInput {
  queueId: string
  timeout?: number
}

export interface SendOutboxEntryResult {
  due: boolean
}

export interface GetQueueInput {
  queue: 'notify' | 'submit'
}

export interface GetQueueResult {
  queue: 'notify' | 'submit'
  jobs: {
    active: number
    delayed: number
    paused: number
    waiting: number
  }
  paused: boolean
}

export interface UpdateQueueInput {
  queue: 'notify' | 'submit'
  body: {
    paused?: boolean
  }
}

export interface UpdateQueueResult {
  queue: 'notify' | 'submit'
  paused: boolean
}

export interface GetSettingsInput {
  webhooks?: boolean
  webhooksEnabled?: boolean
  webhookEvents?: boolean
  webhooksCustomHeaders?: boolean
  notifyHeaders?: boolean
  notifyText?: boolean
  notifyTextSize?: boolean
  notifyWebSafeHtml?: boolean
  notifyAttachments?: boolean
  notifyAttachmentList?: boolean
  notifyAttachmentSize?: boolean
  notifyCalendarEvents?: boolean
  inboxNewOnly?: boolean
  serviceUrl?: boolean
  notificationBaseUrl?: boolean
  gmailSubscriptionTtl?: boolean
  serviceSecret?: boolean
  serviceSecretOverlap?: boolean
  webhookSecrets?: boolean
  webhooksRetrySchedule?: boolean
  webhooksConcurrency?: boolean
  webhooksRate?: boolean
  webhooksAttemptLog?: boolean
  webhooksAttemptLogDays?: boolean
  webhooksKeepFailedDays?: boolean
  webhookTargets?: boolean
  authServer?: boolean
  authServerProtocol?: boolean
  ignoreMailCertErrors?: boolean
  smtpEhloName?: boolean
  proxyEnabled?: boolean
  proxyUrl?: boolean
  httpProxyEnabled?: boolean
  httpProxyUrl?: boolean
  localAddresses?: boolean
  smtpStrategy?: boolean
  imapStrategy?: boolean
  enableApiProxy?: boolean
  tokenAuditLog?: boolean
  enableOAuthTokensApi?: boolean
  deliveryAttempts?: boolean
  trackOpens?: boolean
  trackClicks?: boolean
  trackRepeatWindow?: boolean
  templateHeader?: boolean
  templateHtmlHead?: boolean
  locale?: boolean
  timezone?: boolean
  pageBrandName?: boolean
  generateEmailSummary?: boolean
  openAiAPIKey?: boolean
  openAiAPIUrl?: boolean
  openAiModel?: boolean
  openAiPrompt?: boolean
  openAiTemperature?: boolean
  openAiTopP?: boolean
  openAiMaxTokens?: boolean
  scriptEnv?: boolean
  exportMaxConcurrent?: boolean
  exportMaxGlobalConcurrent?: boolean
  exportMaxMessages?: boolean
  exportMaxSize?: boolean
  gmailExportBatchSize?: boolean
  outlookExportBatchSize?: boolean
  resolveGmailCategories?: boolean
  imapIndexer?: boolean
  imapClientName?: boolean
  imapClientVersion?: boolean
  imapClientVendor?: boolean
  imapClientSupportUrl?: boolean
  logs?: boolean
  imapProxyServerEnabled?: boolean
  imapProxyServerPort?: boolean
  imapProxyServerHost?: boolean
  imapProxyServerTLSEnabled?: boolean
  imapProxyServerProxy?: boolean
  imapProxyServerPassword?: boolean
  smtpServerEnabled?: boolean
  smtpServerPort?: boolean
  smtpServerHost?: boolean
  smtpServerTLSEnabled?: boolean
  smtpServerProxy?: boolean
  smtpServerAuthEnabled?: boolean
  smtpServerPassword?: boolean
  eventTypes?: boolean
}

export interface GetSettingsResult {
  webhooks?: string | null
  webhooksEnabled?: boolean | null
  webhookEvents?: string[] | null
  webhooksCustomHeaders?: KeyValue[] | null
  notifyHeaders?: string[] | null
  notifyText?: boolean | null
  notifyTextSize?: number | null
  notifyWebSafeHtml?: boolean | null
  notifyAttachments?: boolean | null
  notifyAttachmentList?: boolean | null
  notifyAttachmentSize?: number | null
  notifyCalendarEvents?: boolean | null
  inboxNewOnly?: boolean | null
  serviceUrl?: string | null
  notificationBaseUrl?: string | null
  gmailSubscriptionTtl?: number | null
  serviceSecret?: boolean
  serviceSecretOverlap?: number | null
  webhookSecrets?: boolean
  webhooksRetrySchedule?: number[] | null
  webhooksConcurrency?: number | null
  webhooksRate?: number | null
  webhooksAttemptLog?: boolean | null
  webhooksAttemptLogDays?: number | null
  webhooksKeepFailedDays?: number | null
  webhookTargets?: {
    target: string
    retrySchedule?: number[]
    concurrency?: number
    rate?: number
  }[] | null
  authServer?: string | null
  authServerProtocol?: boolean | null
  ignoreMailCertErrors?: boolean | null
  smtpEhloName?: string | null
  proxyEnabled?: boolean | null
  proxyUrl?: string | null
  httpProxyEnabled?: boolean | null
  httpProxyUrl?: string | null
  localAddresses?: string[] | null
  smtpStrategy?: 'default' | 'dedicated' | 'random' | null
  imapStrategy?: 'default' | 'dedicated' | 'random' | null
  enableApiProxy?: boolean | null
  tokenAuditLog?: boolean | null
  enableOAuthTokensApi?: boolean | null
  deliveryAttempts?: number | null
  trackOpens?: boolean | null
  trackClicks?: boolean | null
  trackRepeatWindow?: number | null
  templateHeader?: string | null
  templateHtmlHead?: string | null
  locale?: string | null
  timezone?: string | null
  pageBrandName?: string | null
  generateEmailSummary?: boolean | null
  openAiAPIKey?: boolean
  openAiAPIUrl?: string | null
  openAiModel?: string | null
  openAiPrompt?: string | null
  openAiTemperature?: number | null
  openAiTopP?: number | null
  openAiMaxTokens?: number | null
  scriptEnv?: string | null
  exportMaxConcurrent?: number | null
  exportMaxGlobalConcurrent?: number | null
  exportMaxMessages?: number | null
  exportMaxSize?: number | null
  gmailExportBatchSize?: number | null
  outlookExportBatchSize?: number | null
  resolveGmailCategories?: boolean | null
  imapIndexer?: 'full' | 'fast' | null
  imapClientName?: string | null
  imapClientVersion?: string | null
  imapClientVendor?: string | null
  imapClientSupportUrl?: string | null
  logs?: {
    all?: boolean
    maxLogLines?: number
  } | null
  imapProxyServerEnabled?: boolean | null
  imapProxyServerPort?: number | null
  imapProxyServerHost?: string | null
  imapProxyServerTLSEnabled?: boolean | null
  imapProxyServerProxy?: boolean | null
  imapProxyServerPassword?: boolean
  smtpServerEnabled?: boolean | null
  smtpServerPort?: number | null
  smtpServerHost?: string | null
  smtpServerTLSEnabled?: boolean | null
  smtpServerProxy?: boolean | null
  smtpServerAuthEnabled?: boolean | null
  smtpServerPassword?: boolean
  eventTypes?: string[]
}

export interface UpdateSettingsInput {
  body: Settings
}

export interface UpdateSettingsResult {
  updated: string[]
}

export interface GetStatsInput {
  seconds?: number
}

export interface GetStatsResult {
  version: string
  license: string
  accounts: number
  node: string
  arch: string
  postgres: string
  postgresPing: number
  rabbitmq: boolean
  queues: {
    notify: {
      waiting: number
      active: number
      delayed: number
      failed: number
    }
    submit: {
      waiting: number
      active: number
      delayed: number
      failed: number
    }
  }
  connections: {
    init: number
    connected: number
    connecting: number
    syncing: number
    authenticationError: number
    connectError: number
    unset: number
    disconnected: number
    paused: number
    unassigned: number
  }
  counters: Record<string, number>
}

export interface SubmitDraftInput {
  account: string
  message: string
  timeout?: number
  idempotencyKey?: string
  body?: DraftSubmission
}

export type SubmitDraftResult = SubmissionResult

export interface SubmitMessageInput {
  account: string
  useStructuredFormat?: boolean
  documentStore?: boolean
  timeout?: number
  idempotencyKey?: string
  body: Submission
}

export type SubmitMessageResult = SubmissionResult

export interface CreateTemplateInput {
  body: {
    account: string | null
    name: string
    description?: string
    format?: 'html' | 'markdown'
    content: {
      subject?: string
      text?: string
      html?: string
      previewText?: string
    }
  }
}

export interface CreateTemplateResult {
  created: boolean
  account: string | null
  id: string
}

export interface DeleteTemplateInput {
  template: string
}

export interface DeleteTemplateResult {
  deleted: boolean
  account: string | null
  id: string
}

export interface GetTemplateInput {
  template: string
}

export interface GetTemplateResult {
  account: string | null
  id: string
  name: string
  description?: string
  format: 'html' | 'markdown'
  created: string
  updated: string
  content: {
    subject?: string
    text?: string
    html?: string
    previewText?: string
  }
}

export interface UpdateTemplateInput {
  template: string
  body: {
    name?: string
    description?: string
    format?: 'html' | 'markdown'
    content?: {
      subject?: string
      text?: string
      html?: string
      previewText?: string
    }
  }
}

export interface UpdateTemplateResult {
  updated: boolean
  account: string | null
  id: string
}

export interface FlushTemplatesInput {
  account: string
  force?: boolean
}

export interface FlushTemplatesResult {
  flushed: boolean
  account: string
}

export interface ListTemplatesInput {
  page?: number
  pageSize?: number
  account?: string
}

export interface ListTemplatesResult {
  account: string | null
  total: number
  page: number
  pages: number
  templates: {
    id: string
    name: string
    description?: string
    format: 'html' | 'markdown'
    created: string
    updated: string
  }[]
}

export interface CreateTokenInput {
  body: TokenRequest
}

export interface CreateTokenResult {
  token: string
  id: string
}

export interface ListTokensInput {
  page?: number
  pageSize?: number
  query?: string
  account?: string
}

export interface ListTokensResult {
  account: string | null
  total: number
  page: number
  pages: number
  tokens: TokenRecord[]
}

export interface CreateTokenAliasInput {
  body: TokenRequest
}

export interface CreateTokenAliasResult {
  token: string
  id: string
}

export interface DeleteTokenInput {
  token: string
}

export interface DeleteTokenResult {
  deleted: boolean
}

export interface GetTokenInput {
  token: string
}

export type GetTokenResult = TokenRecord

export interface DeleteTokenAliasInput {
  token: string
}

export interface DeleteTokenAliasResult {
  deleted: boolean
}

export interface GetTokenLogInput {
  token: string
  page?: number
  pageSize?: number
}

export interface GetTokenLogResult {
  token: string
  total: number
  page: number
  pages: number
  entries: TokenLogEntry[]
}

export interface UploadMessageInput {
  account: string
  timeout?: number
  body: {
    path: string
    flags?: string[]
    internalDate?: string
    reference?: Reference
    raw?: Base64
    from?: Address
    to?: Address[]
    cc?: Address[]
    bcc?: Address[]
    subject?: string
    text?: string
    html?: string
    attachments?: AttachmentSource[]
    messageId?: string
    headers?: Record<string, string | string[]>
    locale?: string
    tz?: string
  }
}

export interface UploadMessageResult {
  id?: string
  path: string
  uid?: number
  uidValidity?: string
  seq?: number
  messageId?: string
  reference?: {
    message?: string
    threadId?: string
    success: boolean
    error?: string
  }
}

export interface FlushAccountInput {
  account: string
  body: {
    flush?: boolean
    notifyFrom?: (string & {}) | 'now' | null
    imapIndexer?: 'full' | 'fast' | null
  }
}

export interface FlushAccountResult {
  flush: boolean
}

export interface GetServerSignaturesInput {
  account: string
  timeout?: number
}

export interface GetServerSignaturesResult {
  signatures: {
    address: string
    signature: string
  }[]
  signaturesSupported: boolean
}

export interface ReconnectAccountInput {
  account: string
  body: {
    reconnect?: boolean
  }
}

export interface ReconnectAccountResult {
  reconnect: boolean
}

export interface SyncAccountInput {
  account: string
  timeout?: number
  body: {
    sync?: boolean
  }
}

export interface SyncAccountResult {
  sync: boolean
}

export interface VerifyAccountInput {
  timeout?: number
  body: {
    mailboxes?: boolean
    imap?: ImapConfig | ImapDisabled | false
    smtp?: SmtpConfig | false
    proxy?: string
    smtpEhloName?: string | null
  }
}

export interface VerifyAccountResult {
  imap?: {
    success: boolean
    error?: string
    code?: string
    statusCode?: number
    responseText?: string
  }
  smtp?: {
    success: boolean
    error?: string
    code?: string
    statusCode?: number
    responseText?: string
  }
  mailboxes?: {
    path: string
    delimiter: string | null
    parentPath?: string
    name: string
    listed: boolean
    subscribed: boolean
    specialUse?: 
      | '\\All'
      | '\\Archive'
      | '\\Drafts'
      | '\\Flagged'
      | '\\Junk'
      | '\\Sent'
      | '\\Trash'
      | '\\Inbox'
    noInferiors?: boolean
    specialUseSource?: 'extension' | 'name'
  }[]
}

export interface CreateWebhookReplayInput {
  body: {
    target?: string
    address?: string
    event?: string
    account?: string
    outcome?: string
    since?: string
    until?: string
  }
}

export interface CreateWebhookReplayResult {
  id: string
  filter: Record<string, string>
  state: 'queued' | 'running' | 'done'
  total: number | null
  replayed: number
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

export interface ListWebhookReplaysInput {
  page?: number
  pageSize?: number
}

export interface ListWebhookReplaysResult {
  replays: {
    id: string
    filter: Record<string, string>
    state: 'queued' | 'running' | 'done'
    total: number | null
    replayed: number
    createdAt: string
    startedAt: string | null
    finishedAt: string | null
  }[]
}

export interface GetWebhookDeliveryInput {
  delivery: string
}

export interface GetWebhookDeliveryResult {
  id: string
  eventId: string
  event: string
  account: string
  target: string
  address: string
  state: 'due' | 'delivered' | 'failed' | 'dropped'
  attempts: number
  queuedAt: string
  nextAttemptAt: string | null
  finishedAt: string | null
  lastOutcome: string | null
  lastStatus: number | null
  lastError: string | null
  lastResponse: string | null
  replayOf: string | null
  replayedAt: string | null
  payload: unknown
  log: {
    attempt: number
    endedAt: string
    durationMs: number
    outcome: string
    status: number | null
    error: string | null
    response: string | null
  }[]
  replays: string[]
}

export interface GetWebhookReplayInput {
  replay: string
}

export interface GetWebhookReplayResult {
  id: string
  filter: Record<string, string>
  state: 'queued' | 'running' | 'done'
  total: number | null
  replayed: number
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

export interface ListWebhookDeliveriesInput {
  target?: string
  address?: string
  event?: string
  account?: string
  outcome?: string
  since?: string
  until?: string
  state?: 'due' | 'delivered' | 'failed' | 'dropped'
  cursor?: string
  pageSize?: number
}

export interface ListWebhookDeliveriesResult {
  deliveries: {
    id: string
    eventId: string
    event: string
    account: string
    target: string
    address: string
    state: 'due' | 'delivered' | 'failed' | 'dropped'
    attempts: number
    queuedAt: string
    nextAttemptAt: string | null
    finishedAt: string | null
    lastOutcome: string | null
    lastStatus: number | null
    lastError: string | null
    lastResponse: string | null
    replayOf: string | null
    replayedAt: string | null
  }[]
  nextCursor: string | null
}

export interface RetryWebhookDeliveryInput {
  delivery: string
}

export interface RetryWebhookDeliveryResult {
  id: string
  filter: Record<string, string>
  state: 'queued' | 'running' | 'done'
  total: number | null
  replayed: number
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

export interface CreateWebhookRouteInput {
  body: {
    name: string
    targetUrl: string
    description?: string | null
    enabled?: boolean
    customHeaders?: KeyValue[]
    content?: {
      fn?: string | null
      map?: string | null
    }
  }
}

export interface CreateWebhookRouteResult {
  id: string
  created: boolean
}

export interface DeleteWebhookRouteInput {
  webhookRoute: string
}

export interface DeleteWebhookRouteResult {
  id: string
  deleted: boolean
}

export interface UpdateWebhookRouteInput {
  webhookRoute: string
  body: {
    name?: string
    targetUrl?: string
    description?: string | null
    enabled?: boolean
    customHeaders?: KeyValue[]
    content?: {
      fn?: string | null
      map?: string | null
    }
  }
}

export interface UpdateWebhookRouteResult {
  id: string
  updated: boolean
}

export interface GetWebhookRouteInput {
  webhookRoute: string
}

export interface GetWebhookRouteResult {
  id: string
  name: string
  description: string
  created: string
  updated: string
  enabled: boolean
  targetUrl: string
  tcount: number
  webhookErrorFlag: string | null
  customHeaders: {
    key: string
    value: string
  }[]
  v: number
  content: {
    fn: string | null
    map: string | null
  }
}

export interface ListWebhookRouteErrorsInput {
  webhookRoute: string
}

export interface ListWebhookRouteErrorsResult {
  id: string
  errors: {
    created: string
    function: 'filter' | 'map'
    message: string
    event: string
    account: string
    eventId: string
  }[]
}

export interface ListWebhookRoutesInput {
  page?: number
  pageSize?: number
}

export interface ListWebhookRoutesResult {
  total: number
  page: number
  pages: number
  webhooks: {
    id: string
    name: string
    description: string
    created: string
    updated: string
    enabled: boolean
    targetUrl: string
    tcount: number
    webhookErrorFlag: string | null
    customHeaders: {
      key: string
      value: string
    }[]
  }[]
}

export interface TestWebhookRouteInput {
  body: {
    content: {
      fn?: string | null
      map?: string | null
    }
    payload: Record<string, unknown>
  }
}

export interface TestWebhookRouteResult {
  applies: boolean
  payload?: unknown
  errors: {
    function: 'filter' | 'map'
    message: string
  }[]
  logs: string[]
  usedMs: number
}

export interface AccountAddedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'accountAdded'
  data: {
    account: string
    truncated?: string[]
  }
}

export interface AccountDeletedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'accountDeleted'
  data: {
    account: string
    truncated?: string[]
  }
}

export interface AccountInitializedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'accountInitialized'
  data: {
    initialized: true
    truncated?: string[]
  }
}

export interface AuthenticationErrorEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'authenticationError'
  data: {
    response: string
    serverResponseCode?: string
    tokenRequest?: {
      url?: string
      method?: string
      grant?: string
      provider?: string
      status?: number
      clientId?: string
      authority?: string
      serviceClient?: string
      serviceClientEmail?: string
      code?: string
      flag?: {
        message: string
        code?: string
      }
      userFlag?: {
        message: string
      }
      scopes?: string[]
      response?: Record<string, unknown>
    }
    truncated?: string[]
  }
}

export interface AuthenticationSuccessEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'authenticationSuccess'
  data: {
    user: string
    truncated?: string[]
  }
}

export interface ConnectErrorEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'connectError'
  data: {
    response: string
    serverResponseCode?: string
    truncated?: string[]
  }
}

export interface MailboxDeletedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'mailboxDeleted'
  data: {
    path: string
    name: string
    specialUse: string | false
    truncated?: string[]
  }
}

export interface MailboxNewEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'mailboxNew'
  data: {
    path: string
    name: string
    specialUse: string | false
    uidValidity?: string
    truncated?: string[]
  }
}

export interface MailboxResetEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'mailboxReset'
  data: {
    path: string
    name: string
    specialUse: string | false
    uidValidity?: string
    prevUidValidity?: string
    reason: 'uidValidityChange' | 'syncStateLost'
    truncated?: string[]
  }
}

export interface MessageDeletedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageDeleted'
  data: {
    id: string
    uid?: number
    threadId?: string
    flags?: string[]
    labels?: string[]
    category?: 
      | 'primary'
      | 'social'
      | 'promotions'
      | 'updates'
      | 'forums'
    truncated?: string[]
  }
}

export interface MessageMissingEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageMissing'
  data: {
    id: string
    uid?: number
    missingRetries: number
    missingDelay: number
    truncated?: string[]
  }
}

export interface MessageNewEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageNew'
  data: {
    id: string
    uid?: number
    emailId?: string
    threadId?: string
    path?: string
    date?: string
    flags: string[]
    unseen?: boolean
    flagged?: boolean
    answered?: boolean
    draft?: boolean
    size?: number
    subject?: string
    preview?: string
    from?: ReadAddress
    sender?: ReadAddress
    to?: ReadAddress[]
    cc?: ReadAddress[]
    bcc?: ReadAddress[]
    messageId?: string
    inReplyTo?: string
    labels?: string[]
    category?: 
      | 'primary'
      | 'social'
      | 'promotions'
      | 'updates'
      | 'forums'
    attachments?: AttachmentInfo[]
    text?: TextInfo
    messageSpecialUse?: 
      | '\\All'
      | '\\Archive'
      | '\\Drafts'
      | '\\Flagged'
      | '\\Junk'
      | '\\Sent'
      | '\\Trash'
      | '\\Inbox'
    incomplete?: true
    incompleteIn?: ('envelope' | 'structure' | 'flags')[]
    isAutoReply?: boolean
    bounces?: {
      message: string
      recipient: string
      action: string
      response: {
        message: string
        status?: string
      }
      date: string
    }[]
    specialUse?: 
      | '\\All'
      | '\\Archive'
      | '\\Drafts'
      | '\\Flagged'
      | '\\Junk'
      | '\\Sent'
      | '\\Trash'
      | '\\Inbox'
    headers?: Record<string, string[]>
  } & {
    replyTo?: ReadAddress
    path: string
    seemsLikeNew: boolean
    isBounce?: boolean
    isComplaint?: boolean
    relatedMessageId?: string
    deliveryReport?: unknown
    calendarEvents?: {
      eventId: string
      attachment: string
      method?: string
      summary?: string
      description?: string
      timezone?: string
      startDate?: string
      endDate?: string
      organizer?: string
      filename: string
      contentType: string
      encoding: 'base64'
      content?: string
    }[]
    summary?: {
      id?: string
      tokens?: number
      model?: string
      sentiment?: string
      summary: string
      shouldReply?: boolean
      events?: {
        description: string
        startTime?: string
      }[]
      actions?: {
        description: string
        dueDate?: string
      }[]
    }
    missingDelay?: number
    missingRetries?: number
  } & {
    truncated?: string[]
  }
}

export interface MessageUpdatedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageUpdated'
  data: {
    id: string
    uid?: number
    changes: {
      flags?: {
        added: string[]
        removed: string[]
        value: string[]
      }
      labels?: {
        added: string[]
        removed: string[]
        value: string[]
      }
    }
    truncated?: string[]
  }
}

export interface MessageBounceEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageBounce'
  data: {
    bounceMessage: string
    recipient: string
    action: string
    response: {
      source: string
      message: string
      status?: string
      category: string
      recommendedAction: string
      blocklist?: {
        name: string
        type: string
      }
      retryAfter?: number
    }
    mta?: string
    queueId?: string
    messageId?: string
    messageHeaders?: Record<string, string[]>
    truncated?: string[]
  }
}

export interface MessageComplaintEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageComplaint'
  data: {
    complaintMessage: string
    arf: {
      source?: string
      feedbackType: string
      abuseType?: string
      userAgent?: string
      version?: string
      originalMailFrom?: string
      originalRcptTo: string[]
      arrivalDate?: string
      sourceIp?: string
      reportingMta?: string
      reportedDomain?: string[]
      authFailure?: string
    }
    headers: {
      messageId?: string
      from?: string
      to?: string[]
      cc?: string[]
      subject?: string
      date?: string
    }
    truncated?: string[]
  }
}

export interface MessageDeliveryErrorEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageDeliveryError'
  data: {
    queueId: string
    envelope: {
      from: string
      to: string[]
    }
    messageId: string
    error: string
    errorCode?: string
    smtpResponse?: string
    smtpResponseCode?: number
    smtpCommand?: string
    networkRouting?: {
      localAddress?: string
      name?: string
      proxy?: string
      requestedLocalAddress?: string
    }
    job: {
      id: string
      attemptsMade: number
      attempts: number
      nextAttempt: string | false
    }
    truncated?: string[]
  }
}

export interface MessageFailedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageFailed'
  data: {
    messageId: string
    queueId: string
    error: string
    networkRouting?: {
      localAddress?: string
      name?: string
      proxy?: string
      requestedLocalAddress?: string
    }
    truncated?: string[]
  }
}

export interface MessageSentEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'messageSent'
  data: {
    messageId: string
    originalMessageId?: string
    response: string
    queueId: string
    envelope: {
      from: string
      to: string[]
    }
    networkRouting?: {
      localAddress?: string
      name?: string
      proxy?: string
      requestedLocalAddress?: string
    }
    omittedHeaders?: string[]
    truncated?: string[]
  }
}

export interface ListSubscribeEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'listSubscribe'
  data: {
    recipient: string
    listId: string
    remoteAddress?: string
    userAgent?: string
    truncated?: string[]
  }
}

export interface ListUnsubscribeEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'listUnsubscribe'
  data: {
    recipient: string
    listId: string
    remoteAddress?: string
    userAgent?: string
    messageId?: string
    truncated?: string[]
  }
}

export interface TrackClickEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'trackClick'
  data: {
    messageId: string
    url: string
    remoteAddress?: string
    userAgent?: string
    truncated?: string[]
  }
}

export interface TrackOpenEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'trackOpen'
  data: {
    messageId: string
    remoteAddress?: string
    userAgent?: string
    truncated?: string[]
  }
}

export interface ExportCompletedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'exportCompleted'
  data: {
    exportId: string
    folders: string[]
    startDate: string
    endDate: string
    messagesExported: number
    messagesSkipped: number
    bytesWritten: number
    duration: number
    expiresAt: string
    truncated?: string[]
  }
}

export interface ExportFailedEvent {
  serviceUrl: string | null
  account: string
  date: string
  path?: string
  specialUse?: string
  event: 'exportFailed'
  data: {
    exportId: string
    error: string
    errorCode?: string
    phase: 
      | 'pending'
      | 'indexing'
      | 'exporting'
      | 'unknown'
    messagesExported: number
    messagesQueued: number
    truncated?: string[]
  }
}

/** Body of a webhook. The member `event` has the name of the event. */
export type WebhookEventBody =
  | AccountAddedEvent
  | AccountDeletedEvent
  | AccountInitializedEvent
  | AuthenticationErrorEvent
  | AuthenticationSuccessEvent
  | ConnectErrorEvent
  | MailboxDeletedEvent
  | MailboxNewEvent
  | MailboxResetEvent
  | MessageDeletedEvent
  | MessageMissingEvent
  | MessageNewEvent
  | MessageUpdatedEvent
  | MessageBounceEvent
  | MessageComplaintEvent
  | MessageDeliveryErrorEvent
  | MessageFailedEvent
  | MessageSentEvent
  | ListSubscribeEvent
  | ListUnsubscribeEvent
  | TrackClickEvent
  | TrackOpenEvent
  | ExportCompletedEvent
  | ExportFailedEvent

export interface StateChange {
  account: string | null
  type: 
    | 'state'
    | 'address'
    | 'syncWarning'
    | 'smtpServerState'
    | 'imapProxyServerState'
  key: string | {
    type: 
      | 'mailboxRefused'
      | 'historyIdExpired'
      | 'syncStateNotFound'
      | 'cursorExpired'
    message: string
    path: string
  }
  stateDetail?: 
    | 'new'
    | 'init'
    | 'connecting'
    | 'syncing'
    | 'connected'
    | 'authenticationError'
    | 'connectError'
    | 'disconnected'
    | 'unset'
    | 'paused'
  payload: {
    error: LastError
  } | null
}

export interface Operations {
  createAccount: (client: Client, input: CreateAccountInput) => Promise<CreateAccountResult>
  deleteAccount: (client: Client, input: DeleteAccountInput) => Promise<DeleteAccountResult>
  getAccount: (client: Client, input: GetAccountInput) => Promise<GetAccountResult>
  updateAccount: (client: Client, input: UpdateAccountInput) => Promise<UpdateAccountResult>
  listAccounts: (client: Client, input: ListAccountsInput) => Promise<ListAccountsResult>
  createAuthenticationForm: (client: Client, input: CreateAuthenticationFormInput) => Promise<CreateAuthenticationFormResult>
  getAutoconfig: (client: Client, input: GetAutoconfigInput) => Promise<GetAutoconfigResult>
  addToBlocklist: (client: Client, input: AddToBlocklistInput) => Promise<AddToBlocklistResult>
  getBlocklist: (client: Client, input: GetBlocklistInput) => Promise<GetBlocklistResult>
  removeFromBlocklist: (client: Client, input: RemoveFromBlocklistInput) => Promise<RemoveFromBlocklistResult>
  listBlocklists: (client: Client, input: ListBlocklistsInput) => Promise<ListBlocklistsResult>
  followChanges: (client: Client, input: FollowChangesInput) => Promise<Response>
  createExport: (client: Client, input: CreateExportInput) => Promise<CreateExportResult>
  deleteExport: (client: Client, input: DeleteExportInput) => Promise<DeleteExportResult>
  getExport: (client: Client, input: GetExportInput) => Promise<GetExportResult>
  downloadExport: (client: Client, input: DownloadExportInput) => Promise<Response>
  listAllExports: (client: Client, input: ListAllExportsInput) => Promise<ListAllExportsResult>
  listExports: (client: Client, input: ListExportsInput) => Promise<ListExportsResult>
  createGateway: (client: Client, input: CreateGatewayInput) => Promise<CreateGatewayResult>
  deleteGateway: (client: Client, input: DeleteGatewayInput) => Promise<DeleteGatewayResult>
  getGateway: (client: Client, input: GetGatewayInput) => Promise<GetGatewayResult>
  listGateways: (client: Client, input: ListGatewaysInput) => Promise<ListGatewaysResult>
  updateGateway: (client: Client, input: UpdateGatewayInput) => Promise<UpdateGatewayResult>
  deleteLicense: (client: Client, input: DeleteLicenseInput) => Promise<DeleteLicenseResult>
  getLicense: (client: Client, input: GetLicenseInput) => Promise<GetLicenseResult>
  setLicense: (client: Client, input: SetLicenseInput) => Promise<SetLicenseResult>
  getLogs: (client: Client, input: GetLogsInput) => Promise<string>
  createMailbox: (client: Client, input: CreateMailboxInput) => Promise<CreateMailboxResult>
  deleteMailbox: (client: Client, input: DeleteMailboxInput) => Promise<DeleteMailboxResult>
  updateMailbox: (client: Client, input: UpdateMailboxInput) => Promise<UpdateMailboxResult>
  listMailboxes: (client: Client, input: ListMailboxesInput) => Promise<ListMailboxesResult>
  deleteMessage: (client: Client, input: DeleteMessageInput) => Promise<DeleteMessageResult>
  updateMessage: (client: Client, input: UpdateMessageInput) => Promise<UpdateMessageResult>
  getMessage: (client: Client, input: GetMessageInput) => Promise<GetMessageResult>
  deleteMessages: (client: Client, input: DeleteMessagesInput) => Promise<DeleteMessagesResult>
  moveMessage: (client: Client, input: MoveMessageInput) => Promise<MoveMessageResult>
  moveMessages: (client: Client, input: MoveMessagesInput) => Promise<MoveMessagesResult>
  updateMessages: (client: Client, input: UpdateMessagesInput) => Promise<UpdateMessagesResult>
  listMessages: (client: Client, input: ListMessagesInput) => Promise<ListMessagesResult>
  getAttachment: (client: Client, input: GetAttachmentInput) => Promise<Response>
  getMessageSource: (client: Client, input: GetMessageSourceInput) => Promise<Response>
  getText: (client: Client, input: GetTextInput) => Promise<GetTextResult>
  searchMessages: (client: Client, input: SearchMessagesInput) => Promise<SearchMessagesResult>
  checkOAuth2App: (client: Client, input: CheckOAuth2AppInput) => Promise<CheckOAuth2AppResult>
  createOAuth2App: (client: Client, input: CreateOAuth2AppInput) => Promise<CreateOAuth2AppResult>
  listOAuth2Apps: (client: Client, input: ListOAuth2AppsInput) => Promise<ListOAuth2AppsResult>
  deleteOAuth2App: (client: Client, input: DeleteOAuth2AppInput) => Promise<DeleteOAuth2AppResult>
  getOAuth2App: (client: Client, input: GetOAuth2AppInput) => Promise<GetOAuth2AppResult>
  updateOAuth2App: (client: Client, input: UpdateOAuth2AppInput) => Promise<UpdateOAuth2AppResult>
  getOAuthToken: (client: Client, input: GetOAuthTokenInput) => Promise<GetOAuthTokenResult>
  getPubSubStatus: (client: Client, input: GetPubSubStatusInput) => Promise<GetPubSubStatusResult>
  deleteOutboxEntry: (client: Client, input: DeleteOutboxEntryInput) => Promise<DeleteOutboxEntryResult>
  getOutboxEntry: (client: Client, input: GetOutboxEntryInput) => Promise<GetOutboxEntryResult>
  holdOutboxEntry: (client: Client, input: HoldOutboxEntryInput) => Promise<HoldOutboxEntryResult>
  listOutbox: (client: Client, input: ListOutboxInput) => Promise<ListOutboxResult>
  releaseOutboxEntry: (client: Client, input: ReleaseOutboxEntryInput) => Promise<ReleaseOutboxEntryResult>
  sendOutboxEntry: (client: Client, input: SendOutboxEntryInput) => Promise<SendOutboxEntryResult>
  getQueue: (client: Client, input: GetQueueInput) => Promise<GetQueueResult>
  updateQueue: (client: Client, input: UpdateQueueInput) => Promise<UpdateQueueResult>
  getSettings: (client: Client, input: GetSettingsInput) => Promise<GetSettingsResult>
  updateSettings: (client: Client, input: UpdateSettingsInput) => Promise<UpdateSettingsResult>
  getStats: (client: Client, input: GetStatsInput) => Promise<GetStatsResult>
  submitDraft: (client: Client, input: SubmitDraftInput) => Promise<SubmitDraftResult>
  submitMessage: (client: Client, input: SubmitMessageInput) => Promise<SubmitMessageResult>
  createTemplate: (client: Client, input: CreateTemplateInput) => Promise<CreateTemplateResult>
  deleteTemplate: (client: Client, input: DeleteTemplateInput) => Promise<DeleteTemplateResult>
  getTemplate: (client: Client, input: GetTemplateInput) => Promise<GetTemplateResult>
  updateTemplate: (client: Client, input: UpdateTemplateInput) => Promise<UpdateTemplateResult>
  flushTemplates: (client: Client, input: FlushTemplatesInput) => Promise<FlushTemplatesResult>
  listTemplates: (client: Client, input: ListTemplatesInput) => Promise<ListTemplatesResult>
  createToken: (client: Client, input: CreateTokenInput) => Promise<CreateTokenResult>
  listTokens: (client: Client, input: ListTokensInput) => Promise<ListTokensResult>
  createTokenAlias: (client: Client, input: CreateTokenAliasInput) => Promise<CreateTokenAliasResult>
  deleteToken: (client: Client, input: DeleteTokenInput) => Promise<DeleteTokenResult>
  getToken: (client: Client, input: GetTokenInput) => Promise<GetTokenResult>
  deleteTokenAlias: (client: Client, input: DeleteTokenAliasInput) => Promise<DeleteTokenAliasResult>
  getTokenLog: (client: Client, input: GetTokenLogInput) => Promise<GetTokenLogResult>
  uploadMessage: (client: Client, input: UploadMessageInput) => Promise<UploadMessageResult>
  flushAccount: (client: Client, input: FlushAccountInput) => Promise<FlushAccountResult>
  getServerSignatures: (client: Client, input: GetServerSignaturesInput) => Promise<GetServerSignaturesResult>
  reconnectAccount: (client: Client, input: ReconnectAccountInput) => Promise<ReconnectAccountResult>
  syncAccount: (client: Client, input: SyncAccountInput) => Promise<SyncAccountResult>
  verifyAccount: (client: Client, input: VerifyAccountInput) => Promise<VerifyAccountResult>
  createWebhookReplay: (client: Client, input: CreateWebhookReplayInput) => Promise<CreateWebhookReplayResult>
  listWebhookReplays: (client: Client, input: ListWebhookReplaysInput) => Promise<ListWebhookReplaysResult>
  getWebhookDelivery: (client: Client, input: GetWebhookDeliveryInput) => Promise<GetWebhookDeliveryResult>
  getWebhookReplay: (client: Client, input: GetWebhookReplayInput) => Promise<GetWebhookReplayResult>
  listWebhookDeliveries: (client: Client, input: ListWebhookDeliveriesInput) => Promise<ListWebhookDeliveriesResult>
  retryWebhookDelivery: (client: Client, input: RetryWebhookDeliveryInput) => Promise<RetryWebhookDeliveryResult>
  createWebhookRoute: (client: Client, input: CreateWebhookRouteInput) => Promise<CreateWebhookRouteResult>
  deleteWebhookRoute: (client: Client, input: DeleteWebhookRouteInput) => Promise<DeleteWebhookRouteResult>
  updateWebhookRoute: (client: Client, input: UpdateWebhookRouteInput) => Promise<UpdateWebhookRouteResult>
  getWebhookRoute: (client: Client, input: GetWebhookRouteInput) => Promise<GetWebhookRouteResult>
  listWebhookRouteErrors: (client: Client, input: ListWebhookRouteErrorsInput) => Promise<ListWebhookRouteErrorsResult>
  listWebhookRoutes: (client: Client, input: ListWebhookRoutesInput) => Promise<ListWebhookRoutesResult>
  testWebhookRoute: (client: Client, input: TestWebhookRouteInput) => Promise<TestWebhookRouteResult>
}
