import type { AccountRecord, Posthorn } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'
import { waitUntil } from '../../io/wait-until.ts'
import type { CommandContext } from '../../program/command.ts'

/** Time within which a mail account connects unless its servers are slow or unreachable. */
const defaultTimeoutSeconds = 120

/** Options of waiting until a mail account is connected. */
export interface ConnectedOptions {
  client: Posthorn
  timeout: number | undefined
  /**
   * Time of the account's last sync before the request: the account is connected after a later
   * sync.
   */
  lastSync?: string | undefined
}

/**
 * Waits until an account is connected and synced. Shows its state as progress. A failed attempt
 * does not end the wait, because the account tries again. An account that can only send has no
 * connection to wait for.
 *
 * @throws CommandError after the timeout, with the last error of the account
 */
export async function waitUntilConnected(
  { progress, signal }: Pick<CommandContext, 'progress' | 'signal'>,
  account: string,
  { client, timeout = defaultTimeoutSeconds, lastSync }: ConnectedOptions,
): Promise<AccountRecord> {
  const deadline = Date.now() + timeout * 1_000
  return waitUntil(
    async () => {
      const record = await client.getAccount({ account }, { signal, retryForMs: 30_000 })
      if (record.sendOnly || isSynced(record, lastSync)) return record
      const state = stateText(record)
      progress.show(`${account} is ${state}`)
      if (record.stateDetail === 'paused')
        throw new CommandError(`${account} is paused: it does not connect`)
      if (Date.now() > deadline)
        throw new CommandError(
          `${account} is ${state} after ${timeout} s: \`posthorn accounts show ${account}\` has more`,
        )
      return undefined
    },
    { signal },
  )
}

function isSynced({ state, syncTime }: AccountRecord, lastSync: string | undefined): boolean {
  return state === 'connected' && syncTime !== undefined && syncTime !== lastSync
}

/** State of an account with its last error. */
export function stateText({ stateDetail, lastError }: AccountRecord): string {
  const reason = lastError && errorText(lastError)
  return reason ? `${stateDetail} (${reason})` : stateDetail
}

/** Text of the last error of an account: the code and the response of the server. */
export function errorText({
  serverResponseCode,
  response,
  description,
}: NonNullable<AccountRecord['lastError']>): string {
  return [...new Set([serverResponseCode, response, description])].filter(Boolean).join(': ')
}
