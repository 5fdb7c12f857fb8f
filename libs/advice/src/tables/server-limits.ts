import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const busy = `Your mail provider limits the access for a while. ${nothingToDo}`

/**
 * Advice table for limits of mail servers. Some servers report a limit with the code of another
 * error, such as ALERT.
 */
export const serverLimits: readonly AdviceRow[] = [
  {
    id: 'too-many-connections',
    text: /too many (?:simultaneous |open )?connections|maximum (?:number of connections|connection limit)/i,
    example: 'Maximum number of connections from user+IP exceeded (mail_max_userip_connections=10)',
    meaning:
      'More connections to the mailbox are open than the mail server permits. All mail programs of the owner count.',
    action:
      'Reduce `subconnections` of the account, or raise the limit of the mail server. The account reconnects automatically.',
    ownerText:
      'Too many mail programs are connected to your mailbox. Please close programs that you do not use.',
    guide: 'connect-accounts#limits',
  },
  {
    id: 'bandwidth-limit',
    text: /exceeded command or bandwidth limits/i,
    example: 'Account exceeded command or bandwidth limits.',
    meaning: 'The account has reached the daily transfer limit of Gmail.',
    action:
      'Wait up to 24 h. Set `imapIndexer` to `fast`, or connect the account with the Gmail API.',
    ownerText: busy,
    guide: 'google-and-microsoft#google-quotas',
  },
  {
    id: 'throttled',
    codes: ['THROTTLED', 'ETHROTTLE', 'LIMIT', 'INUSE'],
    meaning:
      'The mail server limits the number of requests or logins, or another program has locked the mailbox.',
    action:
      'Wait: the account reconnects with growing delays. If the error lasts for hours, reduce `subconnections`.',
    ownerText: busy,
    guide: 'connect-accounts#limits',
  },
  {
    id: 'throttled-text',
    text: /throttl|rate limit|too many (?:login attempts|requests)/i,
    example: 'Request is throttled. Suggested Backoff Time: 92415 milliseconds',
    meaning: 'The mail server limits the number of requests or logins.',
    action:
      'Wait: the account reconnects with growing delays. If the error lasts for hours, reduce `subconnections`.',
    ownerText: busy,
    guide: 'connect-accounts#limits',
  },
]
