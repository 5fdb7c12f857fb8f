import { on } from '@posthorn/bus'
import { unsealHeader } from '@posthorn/contracts'
import { type Unsealer, unsealHeader as open } from '@posthorn/secrets'

/** Answers with the value of a header in the clear. Whose it is, says who asks: it knows by where it has read it, and any other owner's does not open. */
export function onOpenHeader({ opener }: { opener: Unsealer }) {
  return on(unsealHeader, async (header) => ({ value: await open(header, opener) }))
}
