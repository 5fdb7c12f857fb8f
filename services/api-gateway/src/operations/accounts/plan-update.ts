import { isDeepStrictEqual } from 'node:util'
import type { AccountUpdate } from '@posthorn/contracts'
import type { LockedAccount } from '../../store/accounts.ts'
import type { AppForAccount } from '../../store/oauth2-apps.ts'
import { mergeServer } from './merge-server.ts'
import { planAccount, type RegistrationPlan } from '../../accounts/plan-account.ts'

export interface UpdatePlan extends RegistrationPlan {
  /** Sessions that run on what the account was before are to end. */
  restarts: boolean
}

/** What sessions work with. Whom events go to, and what people call the account, they do not know. */
const workedWith = [
  'imap',
  'smtp',
  'oauth2',
  'path',
  'subconnections',
  'notifyFrom',
  'proxy',
  'smtpEhloName',
  'logs',
] as const

/**
 * What an update makes of a stored account.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planUpdate(
  body: AccountUpdate,
  stored: LockedAccount,
  app?: AppForAccount,
): UpdatePlan {
  const { imap, smtp, ...rest } = body
  const servers = {
    imap: mergeServer(imap, stored.imap),
    smtp: mergeServer(smtp, stored.smtp),
  }
  const plan = planAccount({ ...rest, ...given(servers) }, stored, app)
  const { columns, passwords } = plan
  const restarts =
    passwords.some((password) => 'seal' in password) ||
    workedWith.some((name) => name in columns && !same(columns[name], stored[name]))
  return { ...plan, restarts }
}

function given<T extends object>(members: T) {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** A column to be written, JSON as its text, and what there is. */
function same(column: unknown, stored: unknown): boolean {
  if (typeof column === 'string' && typeof stored !== 'string' && stored !== null)
    return isDeepStrictEqual(JSON.parse(column), stored)
  return isDeepStrictEqual(column, stored)
}
