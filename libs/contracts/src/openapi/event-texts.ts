import type { EventName } from '../events/index.ts'

interface EventText {
  summary: string
  /**
   * Text of the OpenAPI document about an event: its cause, how often it is sent, and what it does
   * not mean.
   */
  description: string
}

/**
 * Descriptions of the events for the OpenAPI document. See the section "Event list and data fields"
 * of the interface spec.
 */
export const eventTexts: Record<EventName, EventText> = {
  accountAdded: {
    summary: 'An account was registered',
    description:
      'Sent once per account, when the account is registered. The account has not logged in to its mail server yet.',
  },
  accountDeleted: {
    summary: 'An account was deleted',
    description:
      'Sent once per account, when the account is deleted with its data. Messages on the mail server remain.',
  },
  accountInitialized: {
    summary: 'The first sync of all mailboxes finished',
    description:
      'Sent once per registration of an account. From now on, the mailboxes and messages of the account can be listed completely.',
  },
  authenticationError: {
    summary: 'The server rejected the credentials',
    description:
      'Sent when the mail server or the OAuth2 provider rejects the credentials of an account, once for several equal failures. Sent again when syncing is switched off because the failures continue. The account needs new credentials or a new consent.',
  },
  authenticationSuccess: {
    summary: 'The first login succeeded, or a login after an authenticationError',
    description:
      'Sent when an account logs in for the first time, or for the first time after an `authenticationError`. Not sent after a `connectError`.',
  },
  connectError: {
    summary:
      'The server is unreachable, or the login failed for a reason other than the credentials',
    description:
      'Sent when the mail server of an account cannot be reached, or a login fails for a reason other than the credentials, once for several equal failures. The connection is retried automatically.',
  },
  mailboxNew: {
    summary: 'A mailbox was found',
    description:
      'Sent once per mailbox, when a sync finds a mailbox that the account did not have before.',
  },
  mailboxDeleted: {
    summary: 'A mailbox no longer exists',
    description:
      'Sent once per mailbox, when a sync no longer finds the mailbox on the mail server.',
  },
  mailboxReset: {
    summary: 'All message ids of a mailbox became invalid',
    description:
      'Sent when the mail server renumbers the messages of a mailbox, or when the mailbox index was lost. Delete stored message ids of the mailbox and list its messages again. There are no `messageNew` events for the messages in the mailbox.',
  },
  messageNew: {
    summary: 'A message was found in a mailbox that did not contain it before',
    description:
      'Sent when a message arrives in a mailbox, or is moved, copied or uploaded into the mailbox. `seemsLikeNew` is false if the account had the message before. Settings whose names start with `notify` determine which texts, headers and attachments the event contains.',
  },
  messageDeleted: {
    summary: 'A message is no longer in its mailbox',
    description:
      'Sent when a message was deleted, or moved to another mailbox. A moved message also has a `messageNew` in the other mailbox.',
  },
  messageUpdated: {
    summary: 'Flags or labels of a message changed',
    description:
      'Sent when flags or labels of a message change, whether by this API, a mail client or the mail server. Several changes between two syncs are one event.',
  },
  messageMissing: {
    summary: 'A message announced by the server could not be fetched',
    description:
      'Sent when the mail server lists a message in a mailbox, but does not return the message in several attempts.',
  },
  messageBounce: {
    summary: 'A delivery report names a failed or delayed recipient',
    description:
      'Sent for each recipient that a delivery report (bounce) in the mailbox names. `action` states whether the delivery failed or is delayed.',
  },
  messageComplaint: {
    summary: 'An abuse report for a message arrived',
    description:
      'Sent when an abuse report (ARF, RFC 5965) arrives in the mailbox: a recipient marked a message as spam.',
  },
  messageSent: {
    summary: 'The outgoing server accepted a queued message',
    description:
      'Sent when the outgoing server, or the mail API of the provider, has accepted a submitted message. The event does not confirm the delivery to the recipient: a `messageBounce` may follow.',
  },
  messageDeliveryError: {
    summary: 'An attempt to send a message failed',
    description:
      'Sent for each failed attempt to send a submitted message. `job.nextAttempt` is the time of the next attempt, or false if no attempt follows.',
  },
  messageFailed: {
    summary: 'Sending a message failed permanently',
    description:
      'Sent once per submitted message, when all attempts have failed or the outgoing server has rejected the message permanently. The message is not sent again.',
  },
  trackOpen: {
    summary: 'The tracking pixel of a message was requested',
    description:
      'Sent when a mail client loads the tracking pixel of a message that was sent with `trackOpens`. Requests of one client within `trackRepeatWindow` seconds (default 5) are one event. Requests of known crawlers are ignored.',
  },
  trackClick: {
    summary: 'A rewritten link was followed',
    description:
      'Sent when a link of a message that was sent with `trackClicks` is followed. Requests of one client for one link within `trackRepeatWindow` seconds (default 5) are one event. Requests of known crawlers are ignored.',
  },
  listUnsubscribe: {
    summary: 'A recipient unsubscribed from a list',
    description:
      'Sent when a recipient of a message with `listId` unsubscribes, on the page of the unsubscribe link or by one-click (RFC 8058). The recipient is on the blocklist now.',
  },
  listSubscribe: {
    summary: 'A recipient subscribed to a list again',
    description:
      'Sent when a recipient who had unsubscribed subscribes again on the page of the unsubscribe link. The recipient is no longer on the blocklist.',
  },
  exportCompleted: {
    summary: 'An export is complete and can be downloaded',
    description:
      'Sent once per export, when its file is complete. The file can be downloaded until `expiresAt`.',
  },
  exportFailed: {
    summary: 'An export ended with an error',
    description:
      'Sent once per export that ends with an error. The export is not resumed: create a new export. Not sent for a cancelled export.',
  },
}
