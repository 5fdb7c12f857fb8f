import { on } from '@posthorn/bus'
import { getServiceSecret } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Opener } from '@posthorn/secrets'
import { findSealedSetting, placeOfSetting } from '../store/credentials.ts'

/** Answers with the key that webhooks are signed with. */
export function onGetServiceSecret({ db, opener }: { db: Db; opener: Opener }) {
  return on(getServiceSecret, async () => {
    const sealed = await findSealedSetting(db, 'serviceSecret')
    if (sealed === undefined) throw new AppError('not-found', 'No service secret is set')
    return { serviceSecret: await opener.open(sealed, placeOfSetting('serviceSecret')) }
  })
}
