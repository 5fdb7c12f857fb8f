import { isDeepStrictEqual } from 'node:util'
import { defined } from '@posthorn/contracts/defined'
import type { AccountUpdate } from '@posthorn/contracts/schemas/account'
import type { ImapUpdate, SmtpUpdate } from '@posthorn/contracts/schemas/mail-server'
import { type AccountPlan, planAccount } from './plan-account.ts'
import { keepSecret, maskedLogin } from './login-secret.ts'
import type { ServerInput, StoredServers } from './plan-server.ts'
import type { LockedAccount } from '../store/accounts.ts'
import type { AppForAccount } from '../store/oauth2-apps.ts'

export interface UpdatePlan extends AccountPlan {
  /** True if sessions use something that changes. */
  restarts: boolean
}

/** Columns that sessions use. Webhook targets and names are not among them. */
const sessionColumns = [
  'imap',
  'smtp',
  'oauth2',
  'path',
  'subconnections',
  'notifyFrom',
  'proxy',
  'smtpEhloName',
  'logs',
  'paused',
] as const

/**
 * Plans the update of a stored account.
 *
 * @throws AppError `invalid` with `fields`
 */
export function planUpdate(
  { imap, smtp, ...rest }: AccountUpdate,
  stored: LockedAccount,
  app?: AppForAccount,
): UpdatePlan {
  const servers = defined({
    imap: mergeServer(imap, stored.imap),
    smtp: mergeServer(smtp, stored.smtp),
  })
  const plan = planAccount({ ...rest, ...servers }, stored, app)
  const { columns, passwords } = plan
  const restarts =
    passwords.some((password) => 'seal' in password) ||
    sessionColumns.some((name) => name in columns && !isSame(columns[name], stored[name]))
  return { ...plan, restarts }
}

/** Compares a new column, JSON as text, with the stored value. */
function isSame(column: unknown, stored: unknown): boolean {
  if (typeof column === 'string' && typeof stored !== 'string' && stored !== null)
    return isDeepStrictEqual(JSON.parse(column), stored)
  return isDeepStrictEqual(column, stored)
}

type StoredServer = StoredServers['imap' | 'smtp']

/**
 * Completes a partial server from the stored server. The secret stays with its user, as a mask.
 * Other input replaces the server.
 */
function mergeServer(
  input: ImapUpdate | SmtpUpdate | false | undefined,
  stored: StoredServer,
): ServerInput | false | undefined {
  if (input === undefined || input === false) return input
  const { partial, ...update } = input
  if (!partial) return update
  const auth = mergeLogin(update, stored)
  const merged: ServerInput = defined({ ...stored, ...update, auth })
  // An own login replaces the authentication server.
  if (auth && merged.useAuthServer && !update.useAuthServer) merged.useAuthServer = false
  return merged
}

function mergeLogin(
  { auth, useAuthServer }: ServerInput,
  stored: StoredServer,
): ServerInput['auth'] {
  const login = stored?.auth
  if (auth) return keepSecret(auth, login)
  if (auth === false || useAuthServer) return auth
  return login ? maskedLogin(login) : login
}
