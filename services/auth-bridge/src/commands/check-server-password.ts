import { createHash, timingSafeEqual } from 'node:crypto'
import { type CommandHandler, on } from '@posthorn/bus'
import {
  checkImapProxyServerPassword,
  checkSmtpServerPassword,
} from '@posthorn/contracts/commands/credentials'
import { minServerPasswordLength } from '@posthorn/contracts/settings/mail-proxy-settings'
import type { Logger } from '@posthorn/telemetry'
import { findSealedSetting, settingSealContext } from '../store/settings.ts'
import type { SecretDeps } from './get-secrets.ts'

/** Compares a mail client's password with the password setting of the mail proxy. */
export function onCheckServerPassword(deps: SecretDeps): CommandHandler[] {
  return [
    on(checkSmtpServerPassword, ({ password }) => compare(deps, 'smtpServerPassword', password)),
    on(checkImapProxyServerPassword, ({ password }) =>
      compare(deps, 'imapProxyServerPassword', password),
    ),
  ]
}

const settings = ['smtpServerPassword', 'imapProxyServerPassword'] as const
type PasswordSetting = (typeof settings)[number]

/**
 * Compares the password of a mail client in constant time. A stored password that is too short
 * never matches; earlier releases accepted short passwords.
 */
async function compare(
  deps: SecretDeps,
  setting: PasswordSetting,
  password: string,
): Promise<{ valid: boolean }> {
  const stored = await unsealPassword(deps, setting)
  if (stored === undefined || isTooShort(stored)) return { valid: false }
  return { valid: timingSafeEqual(digest(stored), digest(password)) }
}

/** Logs stored passwords of the mail proxies that are too short to be accepted. */
export async function reportShortPasswords(deps: SecretDeps, log: Logger): Promise<void> {
  for (const setting of settings) {
    // Skips a password that cannot be decrypted, because `canUnsealStored` reports such passwords.
    const stored = await unsealPassword(deps, setting).catch(() => undefined)
    if (stored !== undefined && isTooShort(stored))
      log.error({ setting }, 'stored proxy password is too short, rejecting it')
  }
}

async function unsealPassword(
  { db, unsealer }: SecretDeps,
  setting: PasswordSetting,
): Promise<string | undefined> {
  const sealed = await findSealedSetting(db, setting)
  if (sealed === undefined) return undefined
  return unsealer.unseal(sealed, settingSealContext(setting))
}

function isTooShort(password: string): boolean {
  return password.length < minServerPasswordLength
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
