import { createHash, timingSafeEqual } from 'node:crypto'
import { type CommandHandler, on } from '@posthorn/bus'
import { checkImapProxyServerPassword, checkSmtpServerPassword } from '@posthorn/contracts'
import { findSealedSetting, settingSealContext } from '../store/credentials.ts'
import type { SecretDeps } from './get-secrets.ts'

/** Compares a mail client's password with the password setting of its proxy. */
export function onCheckServerPassword(deps: SecretDeps): CommandHandler[] {
  return [
    on(checkSmtpServerPassword, ({ password }) => compare(deps, 'smtpServerPassword', password)),
    on(checkImapProxyServerPassword, ({ password }) =>
      compare(deps, 'imapProxyServerPassword', password),
    ),
  ]
}

/** Compares in constant time. */
async function compare(
  { db, unsealer }: SecretDeps,
  setting: 'smtpServerPassword' | 'imapProxyServerPassword',
  password: string,
): Promise<{ valid: boolean }> {
  const sealed = await findSealedSetting(db, setting)
  if (sealed === undefined) return { valid: false }
  const stored = await unsealer.unseal(sealed, settingSealContext(setting))
  return { valid: timingSafeEqual(digest(stored), digest(password)) }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
