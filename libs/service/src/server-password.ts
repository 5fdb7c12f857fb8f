import type { Bus } from '@posthorn/bus'
import type { checkImapProxyServerPassword, checkSmtpServerPassword } from '@posthorn/contracts'
import { type Db, findSealedSettingRevision } from '@posthorn/db'

/** A password that opens all accounts at one of our doors: the setting it is, and the question whether it is that. */
export interface ServerPassword {
  setting: 'smtpServerPassword' | 'imapProxyServerPassword'
  question: typeof checkSmtpServerPassword | typeof checkImapProxyServerPassword
}

const answerMs = 5_000

/**
 * Since when the password is what it is, if this is it. Compared by auth-bridge, the only one who can open the one we are to have; not
 * asked where none is set.
 */
export async function matchServerPassword(
  { db, bus }: { db: Db; bus: Pick<Bus, 'request'> },
  { setting, question }: ServerPassword,
  password: string,
): Promise<string | undefined> {
  if (password === '' || password.length > 1_024) return undefined
  // Read first: should it change in between, the session has a revision that is not good any more.
  const revision = await findSealedSettingRevision(db, setting)
  if (revision === undefined) return undefined
  const { valid } = await bus.request(
    question,
    { password },
    { key: 'credentials', timeoutMs: answerMs },
  )
  return valid ? revision : undefined
}
