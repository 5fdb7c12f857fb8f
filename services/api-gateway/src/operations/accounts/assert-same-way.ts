import { isDeepStrictEqual } from 'node:util'
import { AppError } from '@posthorn/errors'
import type { Token } from '../../access/token.ts'
import { maskUrl } from '../../http/masks.ts'
import type { PasswordPlan, ServerKind } from '../../accounts/plan-server.ts'

interface Server {
  host?: string
  port?: number
  secure?: boolean
  tls?: object
  useAuthServer?: boolean
}

interface Account {
  imap: Server | null
  smtp: Server | null
  proxy: string | null
  /** What is stored. */
  passwords: readonly string[]
}

interface Plan {
  /** What is written, as columns; absent: as it is. */
  columns: { [K in ServerKind | 'proxy']?: string | null | undefined }
  passwords: readonly PasswordPlan[]
}

/**
 * Keeps a token that is bound to an account from having a login that it was not shown led past others: a stored password, and what the
 * authentication server answers, go to the same server, by the same proxy, and to nobody who shows just any certificate. A password that
 * comes with the change may go anywhere.
 *
 * @throws AppError `forbidden`
 */
export function assertMailServerUnchanged(
  token: Pick<Token, 'account'> | null,
  before: Account,
  { columns, passwords }: Plan,
): void {
  if (!token || token.account === null) return
  const proxy = columns.proxy === undefined ? before.proxy : columns.proxy
  for (const kind of ['imap', 'smtp'] as const) {
    const after = parsed(columns[kind], before[kind])
    const isKept = before.passwords.includes(kind) && !passwords.some((plan) => plan.kind === kind)
    if (!after || !(isKept || after.useAuthServer)) continue
    if (!isDeepStrictEqual(wayOf(after, proxy), wayOf(before[kind], before.proxy)))
      throw new AppError('forbidden', 'Unauthorized account')
  }
}

function parsed(column: string | null | undefined, before: Server | null): Server | null {
  if (column === undefined) return before
  return column === null ? null : (JSON.parse(column) as Server)
}

function wayOf(server: Server | null, proxy: string | null) {
  const { host, port, secure = false, tls = {}, useAuthServer = false } = server ?? {}
  return {
    host: host?.toLowerCase(),
    port,
    secure,
    tls,
    useAuthServer,
    by: proxy && maskUrl(proxy),
  }
}
