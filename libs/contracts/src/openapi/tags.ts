/** Descriptions of the tags in the OpenAPI document, by name. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Account:
    'Registered mail logins: servers or mail provider, credentials and state. Includes the hosted form, which lets the owner of a mailbox connect it.',
  'Account transfer':
    'Accounts that move to another instance, with secrets that only the other instance can read.',
  Blocklist:
    'Recipients who receive no messages of a mailing list, because they unsubscribed or were added by an API client.',
  Stats: 'Statistics of the installation, and the stream of state changes of its accounts.',
  Export: 'Exports of the messages of an account to a compressed file.',
  Gateway: 'SMTP servers that send messages instead of the outgoing servers of the accounts.',
  Installation:
    'State of the installation for its operators: counters over time, findings with their remedies, the workers that serve the accounts, and the mail proxies.',
  Jobs: 'Actions of operators on many accounts or messages, which run in the background with progress.',
  License:
    'License of the installation, for compatibility: all features work without a license key.',
  Logs: 'Protocol logs of accounts.',
  Mailbox: 'Mailboxes of an account: list, create, rename, subscribe and delete.',
  Message:
    'Messages in the mailboxes of an account: list, search, read, download, upload, move, change flags and labels, delete.',
  'OAuth2 applications':
    'Applications that are registered at OAuth2 providers, with which accounts log in to mail servers and mail APIs.',
  Outbox:
    'Submitted messages and their progress. A message that is not sent yet can be held, released or cancelled.',
  Settings: 'Settings of the installation, and its queues, which can be paused.',
  Submit: 'Submission of messages: new messages, replies, mail merges and stored drafts.',
  Template: 'Stored subjects and texts with placeholders, for submissions.',
  Token: 'Access tokens of this API and of the IMAP and SMTP proxies.',
  Webhooks:
    'Webhook requests that the service sends for events, and operations on their deliveries: list, read and replay.',
  'Webhook routes':
    'Additional targets of webhooks. Functions in JavaScript select the events of a webhook route and change the webhook bodies.',
}
