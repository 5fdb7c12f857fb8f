import { type CommandHandler, on } from '@posthorn/bus'
import {
  unsealHeader as unsealHeaderCommand,
  unsealLogin as unsealLoginCommand,
} from '@posthorn/contracts/commands/credentials'
import {
  createUnsealer,
  createSealer,
  type HeaderOwner,
  keyPairFromSecret,
  unsealHeader,
  unsealLogin,
  sealHeaders,
  sealLogin,
} from '@posthorn/secrets'

const { privateKey, publicKey } = keyPairFromSecret('of logins in tests')
const sealer = createSealer(publicKey)
const unsealer = createUnsealer([privateKey])

/** Returns the URL `address` with its login sealed, as api-gateway stores it. */
export function sealedLogin(address: string): Promise<string> {
  return sealLogin(address, sealer)
}

/** Returns HTTP headers with sealed values, as api-gateway stores them. */
export function sealedHeaders(owner: HeaderOwner, headers: { key: string; value: string }[]) {
  return sealHeaders(headers, owner, sealer)
}

/** Unseals the logins of `sealedLogin`, in place of auth-bridge. */
export const unsealsLogins: CommandHandler = on(unsealLoginCommand, async ({ address }) => ({
  address: await unsealLogin(address, unsealer),
}))

/**
 * Unseals the headers of `sealedHeaders`, in place of auth-bridge. `onUnseal` receives each sealed
 * value.
 */
export function unsealsHeaders(
  onUnseal: (value: string) => void = () => undefined,
): CommandHandler {
  return on(unsealHeaderCommand, async (header) => {
    onUnseal(header.value)
    return { value: await unsealHeader(header, unsealer) }
  })
}
