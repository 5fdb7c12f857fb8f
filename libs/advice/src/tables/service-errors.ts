import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const service = 'errors#500-502-504-the-service-and-the-mail-server'
const account = 'errors#503-the-account'
const limits = 'errors#413-422-429'

function row(
  code: string | string[],
  texts: Omit<AdviceRow, 'id' | 'codes' | 'ownerText'> & Partial<AdviceRow>,
): AdviceRow {
  const codes = [code].flat()
  return { id: `api-${codes[0]}`, codes, ownerText: nothingToDo, ...texts }
}

/**
 * Advice table for API responses for limits, for faults and for accounts that are not connected,
 * then responses without a code by status. The last row matches every error.
 */
export const serviceErrors: readonly AdviceRow[] = [
  row(['QuotaExceeded', 'ErrorQuotaExceeded'], {
    meaning: 'The storage of the mailbox is full.',
    action: 'Delete messages, or raise the quota at the provider. A retry alone fails again.',
    ownerText: 'Your mailbox is full. Please delete messages that you no longer need.',
    guide: limits,
  }),
  row('TooManyExports', {
    meaning: 'Too many exports are unfinished, or their storage is full.',
    action: 'Wait for an export to end, or delete finished exports.',
    guide: 'exports#limits',
  }),
  row('AppNotFound', {
    meaning: 'The OAuth2 application of the account was deleted or disabled.',
    action: 'Enable the application, or move the account to another application.',
    guide: service,
  }),
  row('InvalidBaseScopes', {
    meaning: '`baseScopes` of the OAuth2 application does not fit the request.',
    action: 'Register an application with the other `baseScopes`, and move the account to it.',
    guide: service,
  }),
  row('MissingServiceURLSetup', {
    meaning: 'Links need the setting `serviceUrl`, which has no value.',
    action: 'Set `serviceUrl` to the public HTTPS address of this installation.',
    guide: service,
  }),
  row('UploadFail', {
    meaning: 'The mail server refuses the uploaded message, although the mailbox exists.',
    action: 'Read `info.response`. The message may be too large, or the mailbox full.',
    guide: service,
  }),
  row('Timeout', {
    meaning: 'The worker of the account did not respond in time. A change may have been made.',
    action:
      'Repeat reads. Before the repetition of a change, read the present state. `X-SVC-Timeout` extends the time.',
    guide: service,
  }),
  row('NotYetConnected', {
    meaning: 'The account has never connected, or its first sync is running.',
    action: 'Wait for the state `connected`.',
    guide: account,
  }),
  row('AuthenticationFails', {
    meaning: 'The mail server rejects the credentials of the account.',
    action: 'Set new credentials with `PUT /v1/account/{account}`, or let the owner sign in again.',
    ownerText:
      'Your mail provider rejects the login. Please enter your password again, or sign in again.',
    guide: account,
  }),
  row(
    [
      'ConnectionError',
      'ErrorServerBusy',
      'ErrorMailboxStoreUnavailable',
      'ErrorMailboxMoveInProgress',
    ],
    {
      meaning: 'The mail server or mail API cannot be reached.',
      action: 'Retry with growing delays. `lastError` of the account has the reason.',
      guide: account,
    },
  ),
  row('NotSyncing', {
    meaning: 'Syncing is off for the account: it only sends, or logins failed for days.',
    action: 'Store new credentials, or call `PUT /v1/account/{account}/reconnect`.',
    ownerText:
      'Your mailbox is no longer read. Please enter your password again, or sign in again.',
    guide: account,
  }),
  row('NoAvailable', {
    meaning: 'The account is disconnected or paused.',
    action: 'If `stateDetail` is `paused`, set `paused` to false. Otherwise wait for `connected`.',
    guide: account,
  }),
  row('IMAPUnavailable', {
    meaning: 'The connection to the mail server is interrupted.',
    action: 'Retry after some seconds.',
    guide: account,
  }),
  row('WorkerNotAvailable', {
    meaning: 'No worker serves the account or request now, for example during a restart.',
    action: 'Retry after a second. If the error lasts, check that sync-worker is running.',
    guide: account,
  }),
  {
    id: 'api-invalid-request',
    statuses: [400],
    meaning: 'The request has inputs that are not valid, or that contradict each other.',
    action: 'Correct the inputs in `fields` of the response.',
    ownerText: nothingToDo,
    guide: 'errors#the-body-of-an-error',
  },
  {
    id: 'api-not-found',
    statuses: [404],
    meaning: 'No account, gateway, list, token or operation has this path.',
    action: 'Check the path and the id.',
    ownerText: nothingToDo,
    guide: 'errors#404-not-found',
  },
  {
    id: 'api-body-timeout',
    statuses: [408],
    meaning: 'The body of the request arrived too slowly.',
    action: 'Repeat the request over a faster connection.',
    ownerText: nothingToDo,
    guide: 'errors#when-to-retry',
  },
  {
    id: 'api-body-too-large',
    statuses: [413],
    meaning:
      'The body of the request is above the limit of 1 MB, or of `SVC_MAX_BODY_SIZE` for messages.',
    action: 'Send less, or raise the limit.',
    ownerText: nothingToDo,
    guide: limits,
  },
  {
    id: 'api-unprocessable',
    statuses: [422],
    meaning: 'A template or message cannot be processed within its limits.',
    action: 'Read `message`, and simplify the template or message.',
    ownerText: nothingToDo,
    guide: limits,
  },
  {
    id: 'api-rate-limited',
    statuses: [429],
    meaning: 'A rate limit of the token, of the client address or of the provider is exhausted.',
    action: 'Wait for the seconds in `ttl`, then retry.',
    ownerText: nothingToDo,
    guide: limits,
  },
  {
    id: 'api-service-unavailable',
    statuses: [502, 503, 504],
    meaning: 'A part of the service, or a server in front of it, is unavailable.',
    action: 'Retry with growing delays, and check `/health/ready` of the services.',
    ownerText: `The service has a fault at the moment. ${nothingToDo}`,
    guide: 'operate#watch',
  },
  {
    id: 'api-unknown-error',
    meaning: 'No explanation is known for this error of the API.',
    action:
      'Read `message` of the response, and the log of api-gateway at the time of the request.',
    ownerText: nothingToDo,
    guide: 'errors#when-to-retry',
  },
]
