import { transfer } from './account-transfer.ts'
import { ids, otherInstance } from './cast.ts'

const server = { auth: { user: 'jane@example.com', pass: 'l3tterbox' } }
const imap = { ...server, host: 'imap.example.com', port: 993, secure: true }
const smtp = { ...server, host: 'smtp.example.com', port: 465, secure: true }
const ada = { name: 'Ada', address: 'ada@example.org' }
const fromNews = { from: 'news@example.net' }
const seen = { flags: { add: ['\\Seen'] } }

const tokens = {
  'token of one account': {
    account: 'jane',
    scopes: ['api'],
    description: 'The calendar service',
  },
  'token for mail clients': {
    account: 'jane',
    scopes: ['imap-proxy', 'smtp'],
    description: 'Laptop',
    restrictions: { addresses: ['192.0.2.0/24'] },
    expires: '2030-01-31T00:00:00.000Z',
  },
  'read-only token': {
    description: 'Reports',
    permissions: { actions: ['read'], groups: ['message', 'mailbox'] },
    restrictions: { rateLimit: { maxRequests: 100, timeWindow: 60 } },
  },
}

/**
 * Examples of request and response bodies for the OpenAPI document. A test validates the examples
 * against the contracts.
 */
export const examples: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createAccount: {
    'IMAP and SMTP': { account: 'jane', name: 'Jane', email: 'jane@example.com', imap, smtp },
    'credentials from the authentication server': {
      account: 'jane',
      name: 'Jane',
      email: 'jane@example.com',
      imap: { useAuthServer: true, host: 'imap.example.com', port: 993, secure: true },
      smtp: { useAuthServer: true, host: 'smtp.example.com', port: 587, secure: false },
    },
    'OAuth2 with consent of the owner': {
      account: 'jane',
      name: 'Jane',
      oauth2: {
        provider: 'AAABkEr2oQAAAAAB',
        authorize: true,
        redirectUrl: 'https://app.example.com/connected',
      },
    },
    'OAuth2 with an existing refresh token': {
      account: 'jane',
      name: 'Jane',
      email: 'jane@example.com',
      oauth2: {
        provider: 'AAABkEr2oQAAAAAB',
        auth: { user: 'jane@example.com' },
        refreshToken: '1//0gLr3fr3sh',
      },
    },
  },
  updateAccount: {
    'new password': { imap: { partial: true, auth: { user: 'jane@example.com', pass: 'n3w' } } },
    'account webhook target': { webhooks: 'https://hooks.example.com/jane' },
  },
  verifyAccount: { 'both servers': { mailboxes: true, imap, smtp } },
  createAuthenticationForm: {
    'any mailbox': { account: 'jane', redirectUrl: 'https://app.example.com/connected' },
    'one mailbox only': {
      account: 'jane',
      expectedEmail: 'jane@example.com',
      redirectUrl: 'https://app.example.com/connected',
    },
  },
  reconnectAccount: { immediately: { reconnect: true } },
  syncAccount: { immediately: { sync: true } },
  flushAccount: { 'rebuild the index': { flush: true } },
  submitMessage: {
    'text and HTML': {
      to: [ada],
      subject: 'Hello',
      text: 'Hello Ada',
      html: '<p>Hello <b>Ada</b></p>',
    },
    reply: {
      reference: { message: 'AAAAAQAAAeE', action: 'reply', inline: true },
      text: 'Thank you',
    },
    'mail merge': {
      subject: 'News for {{rcpt.name}}',
      html: '<p>{{params.text}}</p><p><a href="{{rcpt.unsubscribeUrl}}">no more</a></p>',
      listId: 'news',
      trackClicks: true,
      mailMerge: [{ to: ada, params: { text: 'Only for you' } }],
    },
    'scheduled message with attachment': {
      to: [ada],
      subject: 'The figures',
      text: 'As agreed',
      attachments: [{ filename: 'figures.csv', contentType: 'text/csv', content: 'YSxiCjEsMgo=' }],
      sendAt: '2030-01-31T09:00:00.000Z',
    },
  },
  submitDraft: { tomorrow: { sendAt: '2030-01-31T09:00:00.000Z' } },
  uploadMessage: {
    draft: { path: '\\Drafts', flags: ['\\Draft'], to: [ada], subject: 'Hello', text: 'Dear' },
  },
  createMailbox: { 'below another': { path: ['Clients', 'Example'] } },
  updateMailbox: { 'a new name': { path: 'Clients', newPath: 'Customers' } },
  updateMessage: { 'mark as read': seen, 'a keyword': { flags: { add: ['$Invoice'] } } },
  moveMessage: { 'to the archive': { path: '\\Archive' } },
  updateMessages: { 'mark as read': { search: fromNews, update: seen } },
  moveMessages: { 'by sender': { search: fromNews, path: 'News' } },
  deleteMessages: { 'what is old': { search: { ...fromNews, before: '2020-01-01T00:00:00Z' } } },
  searchMessages: {
    'unread messages since a date': { search: { unseen: true, since: '2030-01-01T00:00:00Z' } },
    'header value': { search: { header: { 'X-Ticket': '4711' } } },
  },
  createExport: {
    'all messages of a month': {
      startDate: '2030-01-01T00:00:00.000Z',
      endDate: '2030-02-01T00:00:00.000Z',
    },
    'one mailbox with attachments': {
      folders: ['INBOX'],
      startDate: '2030-01-01T00:00:00.000Z',
      endDate: '2030-02-01T00:00:00.000Z',
      textType: 'plain',
      includeAttachments: true,
    },
  },
  createTemplate: {
    'template for all accounts': {
      account: null,
      name: 'Welcome',
      content: { subject: 'Welcome {{params.name}}', html: '<p>Good to see you</p>' },
    },
  },
  updateTemplate: { 'a new name': { name: 'Welcome, second try' } },
  createGateway: {
    'relay server': {
      gateway: 'relay',
      name: 'Relay',
      host: 'relay.example.com',
      port: 587,
      user: 'posthorn',
      pass: 's3nd',
    },
  },
  updateGateway: { 'new password': { user: 'posthorn', pass: 'n3w' } },
  createOAuth2App: {
    Gmail: {
      name: 'Gmail',
      provider: 'gmail',
      enabled: true,
      clientId: '1234-abc.apps.googleusercontent.com',
      clientSecret: 'GOCSPX-s3cret',
      redirectUrl: 'https://posthorn.example.com/oauth',
    },
    'Microsoft 365': {
      name: 'Microsoft 365',
      provider: 'outlook',
      enabled: true,
      authority: 'common',
      clientId: '4a4a2ad5-0c52-4a1c-a6a5-3f2c4f6d5a0e',
      clientSecret: 's3cret',
      redirectUrl: 'https://posthorn.example.com/oauth',
    },
    'generic provider': {
      name: 'Keycloak',
      provider: 'generic',
      enabled: true,
      issuer: 'https://id.example.com/realms/mail',
      clientId: 'posthorn',
      clientSecret: 's3cret',
      redirectUrl: 'https://posthorn.example.com/oauth',
      imap: { host: 'imap.example.com', port: 993, secure: true },
      smtp: { host: 'smtp.example.com', port: 465, secure: true },
    },
  },
  updateOAuth2App: { 'a new secret': { clientSecret: 'n3w-s3cret' } },
  checkOAuth2App: { 'with an account': { account: 'jane' } },
  addToBlocklist: { 'by hand': { account: 'jane', recipient: 'ada@example.org' } },
  createToken: tokens,
  createTokenAlias: tokens,
  createOperatorToken: {
    'for the monitoring': {
      description: 'Monitoring',
      restrictions: { addresses: ['192.0.2.0/24'] },
      expires: '2030-12-31T00:00:00.000Z',
    },
  },
  importTokens: {
    'token of one account': {
      tokens: [
        {
          id: ids.importedToken,
          account: 'jane',
          description: 'The calendar service',
          scopes: ['api'],
          created: '2029-06-01T09:00:00.000Z',
          access: { time: '2030-01-30T18:00:00.000Z', ip: '192.0.2.14' },
        },
      ],
    },
  },
  updateSettings: {
    'webhooks for everything': {
      webhooks: 'https://hooks.example.com/mail',
      webhooksEnabled: true,
      webhookEvents: ['*'],
    },
    'IMAP proxy': { imapProxyServerEnabled: true, imapProxyServerHost: '0.0.0.0' },
  },
  updateQueue: { 'stop sending': { paused: true } },
  setLicense: { 'any key': { license: 'none is needed' } },
  createWebhookRoute: {
    'filter by subject': {
      name: 'Invoices',
      targetUrl: 'https://hooks.example.com/invoices',
      enabled: true,
      content: {
        fn: "return payload.event === 'messageNew' && /invoice/i.test(payload.data.subject)",
        map: 'return { id: payload.eventId, subject: payload.data.subject }',
      },
    },
  },
  updateWebhookRoute: { 'switch off': { enabled: false } },
  testWebhookRoute: {
    'filter function': {
      content: { fn: "return payload.event === 'messageNew'" },
      payload: { event: 'messageNew', account: 'jane', data: {} },
    },
  },
  importLinkKey: { 'service secret': { secret: 'a service secret of EmailEngine' } },
  testWebhookTarget: {
    'any URL': { url: 'https://hooks.example.com/mail' },
    'target of an account': { account: 'jane' },
  },
  exportAccounts: { 'all accounts, first page': { publicKey: otherInstance.publicKey } },
  importAccounts: {
    'paused accounts': { accounts: [transfer], paused: true },
  },
  createAccountJob: {
    'reconnect accounts with rejected logins': {
      action: 'reconnect',
      filter: { state: 'authenticationError' },
      maxEntries: 1_200,
    },
    'delete two accounts': { action: 'delete', ids: ['jane', 'omar'], confirm: true },
    'switch protocol logs on': { action: 'logs', ids: ['jane'], logs: true },
  },
  createOutboxJob: {
    'hold all messages of an account': { action: 'hold', filter: { account: 'jane' } },
    'cancel old messages on hold': {
      action: 'cancel',
      filter: { state: 'held', createdBefore: '2030-01-01T00:00:00.000Z' },
      confirm: true,
    },
  },
  createWebhookReplay: { 'all of one target': { target: 'default' } },
}
