import { on } from '@posthorn/bus'
import { getGatewayCredentials } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Unsealer } from '@posthorn/secrets'
import { assertSendsBy } from './assert-serves.ts'
import { findGatewayLogin, placeOfGatewayPassword } from '../store/gateways.ts'

/** Answers with what logs in at a gateway now. Asked by whoever is about to log in; safe to repeat. */
export function onGetGatewayCredentials({ db, opener }: { db: Db; opener: Unsealer }) {
  return on(getGatewayCredentials, async ({ gateway, entitlement }, { requester: asker }) => {
    await assertSendsBy(db, asker, { gateway, entitlement })
    const login = await findGatewayLogin(db, gateway)
    if (!login) throw new AppError('not-found', `Gateway "${gateway}" was not found`)
    if (login.username === null || login.sealed === null)
      throw new AppError('rejected', 'No password is stored for this gateway', {
        code: 'AuthenticationFails',
      })
    const pass = await opener.unseal(login.sealed, placeOfGatewayPassword(gateway))
    return { user: login.username, pass }
  })
}
