import type { ImapConfig, ImapDisabled, SmtpConfig } from '@posthorn/contracts'
import type { Filing, StoredServer } from '@posthorn/db'
import type { Submission } from '../store/outbox.ts'

/** What decides over what is done in the mailbox once a message is sent. */
export interface FilingInput {
  /** What the message itself asks for; null: nothing of its own. */
  filing: Filing | null
  /** It goes by this server, and not by the account's own. */
  gateway: string | null
  imap: StoredServer<ImapConfig | ImapDisabled> | null
  smtp: StoredServer<SmtpConfig> | null
  /** The account's wish; null: as it is usual. */
  copy: boolean | null
}

/** The same, of a message in hand. */
export function toFilingInput({ filing, gateway: via, sender }: Submission): FilingInput {
  const { imap, smtp, copy } = sender
  return { filing, gateway: via?.gateway ?? null, imap, smtp, copy }
}

export type FilingPlan = Filing & { copy: boolean }

/** Domains of servers that put what goes out by them into Sent themselves. */
const filingProviders = [
  ['gmail.com', 'googlemail.com'],
  ['outlook.com', 'office365.com', 'office365.us', 'hotmail.com', 'live.com', 'partner.outlook.cn'],
]

/** What is to be done in the mailbox after a message was sent; null: nothing. */
export function planFiling(filed: FilingInput): FilingPlan | null {
  const { filing, imap } = filed
  if (!imap || imap.disabled === true) return null
  const plan = { ...filing, copy: wantsCopy(filed) }
  return plan.copy || plan.reference !== undefined || plan.draft !== undefined ? plan : null
}

/** The message has the first word, then the account; else there is a copy, unless the server makes one. */
function wantsCopy(filed: FilingInput): boolean {
  return filed.filing?.copy ?? filed.copy ?? !isFiledByProvider(filed)
}

/**
 * Whether a message that was sent is in the mailbox without our doing: so at some providers, and an account that wants no copies is
 * taken to be at a server that makes them.
 */
export function isFiledByServer(filed: FilingInput): boolean {
  const { imap, gateway, copy } = filed
  if (!imap || imap.disabled === true || gateway !== null) return false
  return copy === false || isFiledByProvider(filed)
}

/** The provider of the mailbox files what goes out by its own servers, and hears of nothing else. */
function isFiledByProvider({ imap, smtp, gateway }: FilingInput): boolean {
  if (gateway !== null || !imap || imap.disabled === true || !smtp) return false
  const provider = filingProviders.find((domains) => isBelow(imap.host, domains))
  return provider !== undefined && isBelow(smtp.host, provider)
}

function isBelow(host: string, domains: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return domains.some((domain) => name === domain || name.endsWith(`.${domain}`))
}
