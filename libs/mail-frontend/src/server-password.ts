import type { Bus } from '@posthorn/bus'
import type {
  checkImapProxyServerPassword,
  checkSmtpServerPassword,
} from '@posthorn/contracts/commands/credentials'
import { type Db, findSealedSettingRevision } from '@posthorn/db'

/** Password that logs in to every account at one proxy, and the command that verifies it. */
export interface ServerPassword {
  setting: 'smtpServerPassword' | 'imapProxyServerPassword'
  command: typeof checkSmtpServerPassword | typeof checkImapProxyServerPassword
}

const timeoutMs = 5_000

/**
 * Returns the revision of the server password if it matches. auth-bridge compares, because no other
 * service can unseal the setting. Sends no request if the setting is not set.
 */
export async function matchServerPassword(
  { db, bus }: { db: Db; bus: Pick<Bus, 'request'> },
  { setting, command }: ServerPassword,
  password: string,
): Promise<string | undefined> {
  if (password === '' || password.length > 1_024) return undefined
  // The revision is read first: if the password changes meanwhile, the session gets a revision that
  // is not valid.
  const revision = await findSealedSettingRevision(db, setting)
  if (revision === undefined) return undefined
  const { valid } = await bus.request(command, { password }, { key: 'credentials', timeoutMs })
  return valid ? revision : undefined
}
