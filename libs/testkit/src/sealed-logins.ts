import { on } from '@posthorn/bus'
import { openLogin } from '@posthorn/contracts'
import {
  createOpener,
  createSealer,
  keyPairFromSecret,
  openLogin as open,
  sealLogin,
} from '@posthorn/secrets'

const { privateKey, publicKey } = keyPairFromSecret('of logins in tests')
const sealer = createSealer(publicKey)
const opener = createOpener([privateKey])

/** An address as the gateway stores it: with its login sealed. */
export function sealedLogin(address: string): Promise<string> {
  return sealLogin(address, sealer)
}

/** Auth-bridge's part, for what `sealedLogin` has sealed. */
export const opensLogins = on(openLogin, async ({ address }) => ({
  address: await open(address, opener),
}))
