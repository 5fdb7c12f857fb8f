import { accountAdvice } from '@posthorn/advice'
import type { AccountRecord } from '@posthorn/client'
import { bytesText, type Field, fieldLines } from '../../io/fields.ts'
import type { RunCommand } from '../../program/command.ts'
import { errorText } from './wait-until-connected.ts'

/**
 * Command `accounts show`: prints an account with advice. The API masks its passwords and tokens.
 */
export const showAccount: RunCommand = async ({ posthorn, output, signal }, args, options) => {
  const [account = ''] = args
  const client = await posthorn()
  const quota = options['quota'] === true
  const record = await client.getAccount({ account, ...(quota && { quota }) }, { signal })
  await output.result(record, accountLines(record))
}

/**
 * Lines of `accounts show` for people: state, errors with advice, servers and counters of an
 * account.
 */
export function accountLines(record: AccountRecord): string[] {
  const { state, stateDetail, lastError, syncError } = record
  const advice = accountAdvice(record)
  const events = Object.entries(record.counters.events).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return fieldLines([
    ['account', record.account],
    ['name', record.name],
    ['email', record.email],
    ['type', record.type],
    ['state', stateDetail === state ? state : `${state} (${stateDetail})`],
    ['last sync', record.syncTime],
    ['last error', lastError && errorText(lastError)],
    ['sync error', syncError && `${syncError.path}: ${syncError.error}, ${syncError.time}`],
    ['meaning', advice?.meaning],
    ['action', advice?.action],
    ['login disabled', record.authFailureDisabledAt],
    ...serverFields(record),
    ['last sending', smtpStatusText(record.smtpStatus)],
    ['proxy', record.proxy],
    ['webhooks', record.webhooks],
    ['mailboxes', record.path?.join(', ')],
    ['connections', record.connections],
    ['quota', quotaText(record.quota)],
    ['events', events.map(([event, count]) => `${event} ${count}`).join(', ')],
  ])
}

function serverFields({ imap, smtp, oauth2 }: AccountRecord): Field[] {
  return [
    ['incoming', serverText(imap)],
    ['outgoing', serverText(smtp)],
    ['oauth2', oauth2 && [oauth2.provider, oauth2.auth?.user].filter(Boolean).join(', ')],
    ['oauth2 expires', oauth2?.expires],
    ['consent error', oauth2?.consentError && consentText(oauth2.consentError)],
  ]
}

function serverText(server: AccountRecord['imap'] | AccountRecord['smtp']): string | undefined {
  if (server?.host === undefined) return undefined
  const { host, port, secure, auth } = server
  const user = auth ? [`login ${auth.user}`] : []
  return [`${host}:${port}`, secure ? 'TLS' : 'STARTTLS', ...user].join(', ')
}

function consentText({
  error,
  description,
  remedy,
}: NonNullable<NonNullable<AccountRecord['oauth2']>['consentError']>): string {
  return [error, description, remedy].filter(Boolean).join(': ')
}

function smtpStatusText(status: AccountRecord['smtpStatus']): string | undefined {
  if (!status) return undefined
  const text = status.description ?? status.response
  return [status.status, ...(text === undefined ? [] : [text]), status.created].join(', ')
}

function quotaText(quota: AccountRecord['quota']): string | undefined {
  if (quota === undefined) return undefined
  if (quota === false) return 'the mail server has no quota'
  return `${bytesText(quota.usage)} of ${bytesText(quota.limit)}, ${quota.status}`
}
