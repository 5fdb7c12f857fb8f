import { on } from '@posthorn/bus'
import { openLogin } from '@posthorn/contracts'
import { type Opener, openLogin as open } from '@posthorn/secrets'

/** Answers with an address whose login is in the clear. Whoever asks has read it where it is stored, which its database role must let it. */
export function onOpenLogin({ opener }: { opener: Opener }) {
  return on(openLogin, async ({ address }) => ({ address: await open(address, opener) }))
}
