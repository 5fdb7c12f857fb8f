import { on } from '@posthorn/bus'
import { getGatewayCredentials } from '@posthorn/contracts/commands/credentials'
import { destinationOf } from '@posthorn/contracts/schemas/destination'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { BoundSecrets } from '../bound-secrets.ts'
import { findGatewayLogin, gatewaySealContext } from '../store/credentials.ts'
import { assertEntitledToGateway } from './assert-entitled.ts'

/** Returns the login of a gateway (shared SMTP server). The command can be repeated safely. */
export function onGetGatewayCredentials({ db, secrets }: { db: Db; secrets: BoundSecrets }) {
  return on(getGatewayCredentials, async ({ gateway, entitlement }, { requester }) => {
    await assertEntitledToGateway(db, requester, { gateway, entitlement })
    const login = await findGatewayLogin(db, gateway)
    if (!login) throw new AppError('not-found', `Gateway "${gateway}" was not found`)
    if (login.username === null || login.sealed === null)
      throw new AppError('rejected', 'No password is stored for this gateway', {
        code: 'AuthenticationFails',
      })
    const { username: user, sealed } = login
    const context = gatewaySealContext(gateway)
    const destination = destinationOf(login, { user })
    return { user, ...(await secrets.openServerLogin({ sealed, context, destination })) }
  })
}
