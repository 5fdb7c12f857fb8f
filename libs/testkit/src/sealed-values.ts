import { type CommandHandler, on } from '@posthorn/bus'
import { unsealHeader as headerQuestion, unsealLogin } from '@posthorn/contracts'
import {
  createUnsealer,
  createSealer,
  type HeaderOwner,
  keyPairFromSecret,
  unsealHeader,
  unsealLogin as open,
  sealHeaders,
  sealLogin,
} from '@posthorn/secrets'

const { privateKey, publicKey } = keyPairFromSecret('of logins in tests')
const sealer = createSealer(publicKey)
const opener = createUnsealer([privateKey])

/** An address as the gateway stores it: with its login sealed. */
export function sealedLogin(address: string): Promise<string> {
  return sealLogin(address, sealer)
}

/** Headers as the gateway stores them: with their values sealed. */
export function sealedHeaders(owner: HeaderOwner, headers: { key: string; value: string }[]) {
  return sealHeaders(headers, owner, sealer)
}

/** Auth-bridge's part, for what `sealedLogin` has sealed. */
export const unsealsLogins: CommandHandler = on(unsealLogin, async ({ address }) => ({
  address: await open(address, opener),
}))

/** The same for `sealedHeaders`; tells each value that it was asked for. */
export function unsealsHeaders(asked: (value: string) => void = () => undefined): CommandHandler {
  return on(headerQuestion, async (header) => {
    asked(header.value)
    return { value: await unsealHeader(header, opener) }
  })
}
