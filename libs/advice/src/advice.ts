import { defined } from '@posthorn/contracts/defined'
import type { LastError } from '@posthorn/contracts/schemas/account'
import type { Advice, AdviceKind, AdviceQuery, AdviceRow } from './advice-row.ts'
import { accountStates } from './tables/account-states.ts'
import { connections } from './tables/connections.ts'
import { exportFailures } from './tables/export-failures.ts'
import { logins } from './tables/logins.ts'
import { mailApis } from './tables/mail-apis.ts'
import { requests } from './tables/requests.ts'
import { rights } from './tables/rights.ts'
import { sending } from './tables/sending.ts'
import { serverLimits } from './tables/server-limits.ts'
import { serviceErrors } from './tables/service-errors.ts'
import { smtpReplies } from './tables/smtp-replies.ts'
import { tokenRequests } from './tables/token-requests.ts'
import { webhookOutcomes } from './tables/webhook-outcomes.ts'

/**
 * Advice tables by subject of the error, specific rows before general rows. The last row of each
 * table has no condition, so that each error has an explanation.
 */
export const adviceTables: Readonly<Record<AdviceKind, readonly AdviceRow[]>> = {
  account: [
    ...tokenRequests,
    ...serverLimits,
    ...logins,
    ...mailApis,
    ...connections,
    ...accountStates,
  ],
  sending: [...sending, ...smtpReplies],
  webhook: webhookOutcomes,
  export: exportFailures,
  api: [...rights, ...requests, ...serviceErrors],
}

/**
 * Maximum characters of an error response that are searched for patterns. Servers may send texts of
 * any length.
 */
const maxSearched = 4_000

/**
 * Explains an error of an account, message, webhook, export or API request. Uses the first row of
 * the advice table that matches; there is a row for every error.
 */
export function adviceFor(query: AdviceQuery): Advice {
  const row = adviceTables[query.kind].find((candidate) => matches(candidate, query))
  if (!row) throw new Error(`the advice table ${query.kind} has no row for all errors`)
  const { id, meaning, action, ownerText, guide } = row
  return defined({ id, meaning, action, ownerText, guide })
}

/** Members of an account record, as the API returns the account, that explain its state. */
export interface AccountCondition {
  state: string
  stateDetail?: string
  lastError?: LastError | null
}

/**
 * Explains the state of an account. Undefined if the account is connected. The error of an account
 * is considered only in states that an error causes.
 */
export function accountAdvice(account: AccountCondition): Advice | undefined {
  const { state, stateDetail = state, lastError } = account
  if (state === 'connected') return undefined
  const {
    response = '',
    description = '',
    serverResponseCode: code,
    tokenRequest,
  } = lastError ?? {}
  const isError = ['authenticationError', 'connectError'].includes(state)
  const text = `${tokenRequest?.code ?? ''} ${response} ${description}`
  return adviceFor(
    defined({
      kind: 'account' as const,
      state: stateDetail,
      code: isError ? code : undefined,
      response: isError ? text : undefined,
    }),
  )
}

function matches(row: AdviceRow, { state, code, status, response = '' }: AdviceQuery): boolean {
  const { states, codes, statuses, text } = row
  return (
    (states === undefined || (state !== undefined && states.includes(state))) &&
    (codes === undefined || (code !== undefined && hasCode(codes, code))) &&
    (statuses === undefined || (status !== undefined && statuses.includes(status))) &&
    (text === undefined || text.test(response.slice(0, maxSearched)))
  )
}

function hasCode(codes: readonly string[], code: string): boolean {
  const wanted = code.toLowerCase()
  return codes.some((each) => each.toLowerCase() === wanted)
}
