import type { Bus } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts'
import { keepLinkKey, type LinkKeys } from '@posthorn/links'

const timeoutMs = 5_000

/** The key of links, asked of auth-bridge once. Without auth-bridge, `current` rejects with an AppError that says to try again. */
export function linkKeys(bus: Bus): LinkKeys {
  return keepLinkKey(() => bus.ask(getLinkSecret, {}, { key: 'credentials', timeoutMs }))
}
