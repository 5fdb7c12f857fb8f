import { createHash, timingSafeEqual } from 'node:crypto'
import { type CommandHandler, on } from '@posthorn/bus'
import { checkImapProxyServerPassword, checkSmtpServerPassword } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Unsealer } from '@posthorn/secrets'
import { findSealedSetting, placeOfSetting } from '../store/credentials.ts'

interface Deps {
  db: Db
  opener: Unsealer
}

/** Says whether a mail client's password is the one for all accounts, for sending. */
export function onCheckSmtpServerPassword(deps: Deps): CommandHandler {
  return on(checkSmtpServerPassword, ({ password }) =>
    compare(deps, 'smtpServerPassword', password),
  )
}

/** The same for reading. */
export function onCheckImapProxyServerPassword(deps: Deps): CommandHandler {
  return on(checkImapProxyServerPassword, ({ password }) =>
    compare(deps, 'imapProxyServerPassword', password),
  )
}

/** It takes as long for a wrong one as for the right one. */
async function compare(
  { db, opener }: Deps,
  setting: 'smtpServerPassword' | 'imapProxyServerPassword',
  password: string,
): Promise<{ valid: boolean }> {
  const sealed = await findSealedSetting(db, setting)
  if (sealed === undefined) return { valid: false }
  const stored = await opener.unseal(sealed, placeOfSetting(setting))
  return { valid: timingSafeEqual(digest(stored), digest(password)) }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
