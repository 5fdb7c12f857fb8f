import type { ProviderNotification } from '@posthorn/contracts/commands/notifications'
import type { TaskGroup } from '@posthorn/flow'
import type { AddressLimiter } from '../../access/rate-limits.ts'
import type { AccountSecret, KnownSecrets } from './known-secrets.ts'

export interface GraphAdmissionDeps {
  readonly secrets: Pick<KnownSecrets, 'has' | 'find'>
  readonly limiter: Pick<AddressLimiter, 'isUnlimited' | 'excess' | 'forget'>
  readonly tasks: Pick<TaskGroup, 'run'>
}

/**
 * Limits notifications of Microsoft Graph that may be forged. Notifications with a known secret are
 * unlimited, so that floods of forged notifications do not affect them, even from the same address.
 * A notification with an unknown secret counts against the limit of its address. After the
 * response, the secret is looked up, because the watch (registration for notifications) with this
 * secret may be new; if the secret is valid, the notification no longer counts.
 */
export class GraphAdmission {
  readonly #deps: GraphAdmissionDeps

  constructor(deps: GraphAdmissionDeps) {
    this.#deps = deps
  }

  /**
   * Returns the seconds to wait before a notification of Microsoft Graph is accepted; undefined for
   * an accepted notification.
   */
  excess(address: string, notifications: readonly ProviderNotification[]): number | undefined {
    const { secrets, limiter, tasks } = this.#deps
    if (limiter.isUnlimited) return undefined
    const presented = notifications.flatMap(({ account, secretHash }): AccountSecret[] =>
      secretHash === undefined ? [] : [{ account, secretHash }],
    )
    const [first] = presented
    if (!first || presented.some((secret) => secrets.has(secret))) return undefined
    const seconds = limiter.excess(address)
    if (seconds === undefined)
      tasks.run(secrets.find(first).then((isGenuine) => isGenuine && limiter.forget(address)))
    return seconds
  }
}
