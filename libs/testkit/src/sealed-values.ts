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

/** Returns an address with a sealed login, as the gateway stores it. */
export function sealedLogin(address: string): Promise<string> {
  return sealLogin(address, sealer)
}

/** Returns headers with sealed values, as the gateway stores them. */
export function sealedHeaders(owner: HeaderOwner, headers: { key: string; value: string }[]) {
  return sealHeaders(headers, owner, sealer)
}

/** Unseals the logins of `sealedLogin`, in place of auth-bridge. */
export const unsealsLogins: CommandHandler = on(unsealLogin, async ({ address }) => ({
  address: await open(address, opener),
}))

/**
 * Unseals the headers of `sealedHeaders`, in place of auth-bridge. `onUnseal` receives each sealed
 * value.
 */
export function unsealsHeaders(
  onUnseal: (value: string) => void = () => undefined,
): CommandHandler {
  return on(headerQuestion, async (header) => {
    onUnseal(header.value)
    return { value: await unsealHeader(header, opener) }
  })
}
