import { on } from '@posthorn/bus'
import { getGatewayCredentials } from '@posthorn/contracts/commands/credentials'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { Unsealer } from '@posthorn/secrets'
import { findGatewayLogin, gatewaySealContext } from '../store/credentials.ts'
import { assertEntitledToGateway } from './assert-entitled.ts'

/** Returns the login of a gateway. Safe to repeat. */
export function onGetGatewayCredentials({ db, unsealer }: { db: Db; unsealer: Unsealer }) {
  return on(getGatewayCredentials, async ({ gateway, entitlement }, { requester }) => {
    await assertEntitledToGateway(db, requester, { gateway, entitlement })
    const login = await findGatewayLogin(db, gateway)
    if (!login) throw new AppError('not-found', `Gateway "${gateway}" was not found`)
    if (login.username === null || login.sealed === null)
      throw new AppError('rejected', 'No password is stored for this gateway', {
        code: 'AuthenticationFails',
      })
    const pass = await unsealer.unseal(login.sealed, gatewaySealContext(gateway))
    return { user: login.username, pass }
  })
}
