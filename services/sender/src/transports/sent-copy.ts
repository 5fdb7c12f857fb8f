import type { Bus } from '@posthorn/bus'
import { accountTypeOf } from '@posthorn/contracts/account-types'
import { findSent } from '@posthorn/contracts/commands/filing'
import { defined } from '@posthorn/contracts/defined'
import { shardOf } from '@posthorn/contracts/shards'
import { type Filing, hasMailbox, sendsByApi } from '@posthorn/db'
import { isPermanent, messageOf } from '@posthorn/errors'
import { retryUntil } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Submission } from '../store/submission.ts'
import { cancelled } from './transport.ts'

/**
 * Properties of a submission that decide which mailbox work, such as a Sent copy, follows after
 * sending.
 */
export type FilingInput = Pick<Submission, 'filing' | 'gateway' | 'sender'>

export type FilingPlan = Filing & { copy: boolean }

/** Domains of mail providers whose servers store sent mail in the Sent mailbox. */
const filingProviders = [
  ['gmail.com', 'googlemail.com'],
  ['outlook.com', 'office365.com', 'office365.us', 'hotmail.com', 'live.com', 'partner.outlook.cn'],
]

/** Mailbox work of a sent message, such as a Sent copy; null if no mailbox work is due. */
export function planFiling(input: FilingInput): FilingPlan | null {
  if (!hasMailbox(input.sender)) return null
  const plan = { ...input.filing, copy: wantsCopy(input) }
  return plan.copy || plan.reference !== undefined || plan.draft !== undefined ? plan : null
}

/**
 * True if a copy of the sent message is wanted in the Sent mailbox. The preference of the
 * submission precedes the preference of the account. By default a copy is stored unless the mail
 * server stores sent messages. Providers of mail APIs always store sent messages.
 */
function wantsCopy(input: FilingInput): boolean {
  if (sendsByApi(input.sender, input.gateway)) return false
  return input.filing?.copy ?? input.sender.copy ?? !isFiledByProvider(input)
}

/**
 * True if the server itself stores sent messages. The server of an account with `copy: false` is
 * assumed to store sent messages.
 */
export function isFiledByServer(input: FilingInput): boolean {
  if (!hasMailbox(input.sender) || input.gateway) return false
  return input.sender.copy === false || isFiledByProvider(input)
}

/**
 * True if a mail provider stores the message in the Sent mailbox. Providers store only messages
 * that their own servers sent.
 */
function isFiledByProvider({ gateway, sender }: FilingInput): boolean {
  const { imap, smtp } = sender
  if (gateway) return false
  if (accountTypeOf(sender).filesSent === 'server') return true
  if (!imap || imap.disabled || !smtp) return false
  const provider = filingProviders.find((domains) => isInDomain(imap.host, domains))
  return provider !== undefined && isInDomain(smtp.host, provider)
}

function isInDomain(host: string, domains: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return domains.some((domain) => name === domain || name.endsWith(`.${domain}`))
}

export interface FindSentDeps {
  bus: Pick<Bus, 'request'>
  log: Logger
  /**
   * Maximum time for which an unavailable Sent mailbox delays a message that an earlier attempt may
   * have sent.
   */
  findSentMs: number
  signal: AbortSignal
}

const requestTimeoutMs = 10_000
const retryPauseMs = 1_000

/**
 * Looks for a message with an unknown outcome in the Sent mailbox. If the search is not possible
 * within `findSentMs`, returns false: a duplicate is better than a loss.
 *
 * @throws PreAttemptError if the process stops during the search
 */
export async function findSentCopy(
  { bus, log, findSentMs, signal }: FindSentDeps,
  { account, messageId, filing }: Pick<Submission, 'account' | 'messageId' | 'filing'>,
): Promise<boolean> {
  const deadline = Date.now() + findSentMs
  const timeoutMs = Math.min(requestTimeoutMs, findSentMs)
  const options = { key: `shard.${shardOf(account)}`, timeoutMs, signal }
  const request = defined({ account, messageId, sentMailPath: filing?.sentMailPath })
  const isRetryable = (err: unknown) => !isPermanent(err) && Date.now() + retryPauseMs <= deadline
  try {
    const lookUp = () => bus.request(findSent, request, options)
    return (await retryUntil(lookUp, { delayMs: retryPauseMs, signal, isRetryable })).found
  } catch (err) {
    if (signal.aborted) throw cancelled(signal)
    log.warn({ reason: messageOf(err) }, 'lookup in the Sent mailbox failed')
    return false
  }
}
