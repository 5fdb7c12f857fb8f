import type { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { type LoanMetrics, loanResultOf } from '@posthorn/backends/provider-metrics'
import { type CommandHandler, on } from '@posthorn/bus'
import { lendUnits } from '@posthorn/contracts/commands/quota'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { HeldShards } from '../shards/held-shards.ts'

export interface LendDeps {
  limiter: Pick<ProviderLimiter, 'lend' | 'applyMailboxPause'>
  shards: Pick<HeldShards, 'hasAccount'>
  loans: LoanMetrics
}

/**
 * Lends quota units of mailboxes at mail providers to senders. The account needs no session,
 * because this worker owns the quota units of all mailboxes of its shards.
 */
export function onLendUnits({ limiter, shards, loans }: LendDeps): CommandHandler {
  return on(lendUnits, async ({ units, pausedUntil: reported = 0, ...mailbox }) => {
    const { account, provider } = mailbox
    if (!shards.hasAccount(account))
      throw new AppError('unavailable', 'No worker holds the account', {
        code: 'WorkerNotAvailable',
      })
    const reportedMs = reported - Date.now()
    if (reportedMs > 0) limiter.applyMailboxPause(mailbox, reportedMs)
    if (units === 0) return { granted: 0, delayMs: 0 }
    const loan = limiter.lend(mailbox, units)
    const { isGranted, delayMs, pauseMs } = loan
    loans.requested({ provider, units, result: loanResultOf(loan) })
    const pausedUntil = pauseMs > 0 ? Math.ceil(Date.now() + pauseMs) : undefined
    return { granted: isGranted ? units : 0, delayMs, ...defined({ pausedUntil }) }
  })
}
