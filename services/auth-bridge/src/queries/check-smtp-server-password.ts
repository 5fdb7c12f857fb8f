import { createHash, timingSafeEqual } from 'node:crypto'
import { on } from '@posthorn/bus'
import { checkSmtpServerPassword } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Opener } from '@posthorn/secrets'
import { findSealedSetting, placeOfSetting } from '../store/credentials.ts'

/** Says whether a mail client's password is the one for all accounts. It takes as long for a wrong one as for the right one. */
export function onCheckSmtpServerPassword({ db, opener }: { db: Db; opener: Opener }) {
  return on(checkSmtpServerPassword, async ({ password }) => {
    const sealed = await findSealedSetting(db, 'smtpServerPassword')
    if (sealed === undefined) return { valid: false }
    const stored = await opener.open(sealed, placeOfSetting('smtpServerPassword'))
    return { valid: timingSafeEqual(digest(stored), digest(password)) }
  })
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
