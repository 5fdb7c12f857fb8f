import { ids, masked, onlyPage, otherInstance } from './cast.ts'
import { transfer } from './account-transfer.ts'

const server = { auth: { user: 'jane@example.com', pass: masked }, secure: true }
const jane = {
  account: 'jane',
  name: 'Jane',
  type: 'imap',
  state: 'connected',
  stateDetail: 'connected',
  email: 'jane@example.com',
  counters: { events: { messageNew: 42, messageSent: 7 } },
  syncTime: '2030-01-31T08:00:00.000Z',
  lastError: null,
}
const omar = {
  account: 'omar',
  name: 'Omar',
  type: 'gmail',
  state: 'authenticationError',
  stateDetail: 'authenticationError',
  email: 'omar@example.com',
  app: ids.app,
  counters: { events: { messageNew: 3, authenticationError: 1 } },
  lastError: {
    response: 'The refresh token is invalid: the owner of the mailbox must consent again',
    serverResponseCode: 'invalid_grant',
  },
}

/** Examples of responses of the operations on accounts, by operation id. */
export const accountResponses = {
  listKeys: {
    keys: [{ id: otherInstance.id, publicKey: otherInstance.publicKey, current: true }],
  },
  exportAccounts: { accounts: [transfer], failed: [], nextCursor: null },
  importAccounts: { results: [{ account: 'jane', result: 'imported' }] },
  createAccount: { account: 'jane', state: 'new' },
  getAccount: {
    ...jane,
    copy: true,
    logs: false,
    paused: false,
    imap: { ...server, host: 'imap.example.com', port: 993 },
    smtp: { ...server, host: 'smtp.example.com', port: 465 },
    connections: 2,
    quota: { usage: 524_288_000, limit: 1_073_741_824, status: '49%' },
    smtpStatus: {
      created: '2030-01-31T07:30:00.000Z',
      status: 'ok',
      response: '250 2.0.0 Ok: queued as 4ZxQ1r',
      networkRouting: null,
    },
  },
  updateAccount: { account: 'jane' },
  listAccounts: { ...onlyPage(2), query: false, state: '*', accounts: [jane, omar] },
  deleteAccount: { account: 'jane', deleted: true },
  reconnectAccount: { reconnect: true },
  syncAccount: { sync: true },
  flushAccount: { flush: true },
  getServerSignatures: {
    signatures: [{ address: 'omar@example.com', signature: '<p>Omar<br>Example Ltd</p>' }],
    signaturesSupported: true,
  },
  verifyAccount: {
    imap: { success: true },
    smtp: {
      success: false,
      error: 'The server rejected the login',
      code: 'EAUTH',
      statusCode: 535,
      responseText: '535 5.7.8 Authentication failed',
    },
    mailboxes: [
      {
        path: 'INBOX',
        delimiter: '/',
        name: 'INBOX',
        listed: true,
        subscribed: true,
        specialUse: '\\Inbox',
        specialUseSource: 'extension',
      },
    ],
  },
  createAuthenticationForm: {
    url: 'https://posthorn.example.com/accounts/new?data=eyJhY3QiOiJmb3JtIiwibiI6IkpiN3ZReDJMclQwYVl3OWNaNGVLbUEifQ&sig=1.example-signature',
  },
  getAutoconfig: {
    imap: {
      auth: { user: 'jane@example.com' },
      host: 'imap.example.com',
      port: 993,
      secure: true,
    },
    smtp: {
      auth: { user: 'jane@example.com' },
      host: 'smtp.example.com',
      port: 465,
      secure: true,
    },
    _source: 'srv',
  },
  getOAuthToken: {
    account: 'omar',
    user: 'omar@example.com',
    accessToken: 'ya29.example-access-token',
    provider: 'gmail',
    app: ids.app,
    registeredScopes: ['https://mail.google.com/'],
    expires: '2030-01-31T09:00:00.000Z',
    cached: true,
  },
  getLogs: [
    '2030-01-31T08:00:00.000Z [3] C: A7 SELECT INBOX',
    '2030-01-31T08:00:00.042Z [3] S: * 42 EXISTS',
    '2030-01-31T08:00:00.043Z [3] S: A7 OK [READ-WRITE] SELECT completed',
    '',
  ].join('\n'),
  followChanges: [
    ': Posthorn v1.0.0',
    '',
    'id: 7305-1181',
    '',
    'id: 7311-1182',
    'event: message',
    `data: ${JSON.stringify({
      account: 'omar',
      type: 'state',
      key: 'authenticationError',
      stateDetail: 'authenticationError',
      payload: { error: { response: 'invalid_grant' } },
    })}`,
    '',
    ': keep-alive',
    '',
    '',
  ].join('\n'),
}
