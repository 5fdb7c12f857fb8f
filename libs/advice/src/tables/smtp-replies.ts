import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const guide = 'send#what-can-go-wrong'
const later = `Your message will be sent later. ${nothingToDo}`
const notSent = 'Your message could not be sent.'

/**
 * Advice table for failed attempts to send a message, by SMTP reply code. The last row matches
 * every error.
 */
export const smtpReplies: readonly AdviceRow[] = [
  {
    id: 'send-smtp-421',
    statuses: [421],
    meaning: 'The outgoing server is overloaded or limits the sender, and closes the connection.',
    action: 'Wait: the message is sent in a later attempt.',
    ownerText: later,
    guide,
  },
  {
    id: 'send-smtp-450',
    statuses: [450, 451, 432, 454],
    meaning:
      'The server rejects the message for a while: greylisting, a busy mailbox, or a fault of the server.',
    action: 'Wait: the message is sent in a later attempt.',
    ownerText: later,
    guide,
  },
  {
    id: 'send-smtp-452',
    statuses: [452],
    meaning:
      'The server has too little storage, or the message has more recipients than the server accepts together.',
    action: 'Wait for a later attempt, or send to fewer recipients per message.',
    ownerText: later,
    guide,
  },
  {
    id: 'send-smtp-login',
    statuses: [530, 534, 535, 538],
    meaning: 'The outgoing server requires a login, or rejects it.',
    action: 'Update user name and password of the outgoing server.',
    ownerText: `${notSent} Your mail provider no longer accepts the password. Please enter your current password again.`,
    guide: 'connect-accounts#repair-and-change',
  },
  {
    id: 'send-smtp-550',
    statuses: [550, 551, 553],
    meaning:
      'The server rejects a recipient or the sender: the mailbox does not exist, or the address is not permitted.',
    action:
      'Read `smtpResponse` and correct the addresses. Do not send to this recipient again if it does not exist.',
    ownerText: `${notSent} Please check the addresses of the recipients.`,
    guide: 'bounces-and-complaints#what-can-go-wrong',
  },
  {
    id: 'send-smtp-552',
    statuses: [552],
    meaning: 'The message is too large, or the mailbox of the recipient is full.',
    action: 'Read `smtpResponse`. Send large files as a link.',
    ownerText: `${notSent} The message is too large, or the mailbox of the recipient is full.`,
    guide: 'send#limits',
  },
  {
    id: 'send-smtp-554',
    statuses: [554, 521, 556],
    meaning:
      'The server refuses the message: as spam, because of a policy, or because it accepts no mail.',
    action: 'Read `smtpResponse`, and check content, sender address, SPF and DKIM of the domain.',
    ownerText: `${notSent} The mail server of the recipient refuses the message.`,
    guide: 'bounces-and-complaints#what-can-go-wrong',
  },
  {
    id: 'send-protocol-error',
    codes: ['EPROTOCOL'],
    meaning: 'The server does not respond as an SMTP server, or rejects a command.',
    action: 'Check port and `secure` of the outgoing server, and read `smtpResponse`.',
    ownerText: `${notSent} The operator of the service has to act.`,
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'send-unknown-error',
    meaning: 'No explanation is known for this error of a submission.',
    action: 'Read the error of the submission with `GET /v1/outbox/{queueId}`.',
    ownerText: 'Your message is not sent yet.',
    guide,
  },
]
