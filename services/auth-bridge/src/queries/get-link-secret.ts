import { on } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Unsealer } from '@posthorn/secrets'
import { findSealedSetting, placeOfSetting } from '../store/credentials.ts'

/** Answers with the key that links in messages are signed with. */
export function onGetLinkSecret({ db, opener }: { db: Db; opener: Unsealer }) {
  return on(getLinkSecret, async () => {
    const sealed = await findSealedSetting(db, 'linkSecret')
    if (sealed === undefined) throw new AppError('unavailable', 'There is no link secret yet')
    return { linkSecret: await opener.unseal(sealed, placeOfSetting('linkSecret')) }
  })
}
