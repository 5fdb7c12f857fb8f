import { on } from '@posthorn/bus'
import {
  getLinkSecret,
  getOpenAiApiKey,
  getServiceSecret,
} from '@posthorn/contracts/commands/credentials'
import { defined } from '@posthorn/contracts/defined'
import {
  type WebhookTargetSecret,
  WebhookTargetSecrets,
} from '@posthorn/contracts/settings/webhook-targets'
import { check } from '@posthorn/contracts/validate'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sameSecret, type Unsealer } from '@posthorn/secrets'
import { parseObject } from '../parse-object.ts'
import {
  findSealedSetting,
  listEarlierLinkSecrets,
  listPreviousServiceSecrets,
  type SealedSetting,
  settingSealContext,
} from '../store/settings.ts'

export interface SecretDeps {
  db: Db
  unsealer: Unsealer
}

/**
 * Returns the secrets that sign webhooks: the current secret, previous secrets that still sign, and
 * secrets of single targets.
 */
export function onGetServiceSecret(deps: SecretDeps) {
  return on(getServiceSecret, async () => {
    const serviceSecret = await unsealSetting(deps, 'serviceSecret')
    if (serviceSecret === undefined) throw new AppError('not-found', 'No service secret is set')
    const previous = await unsealPrevious(deps, serviceSecret)
    const targets = await unsealTargets(deps)
    return {
      serviceSecret,
      ...defined({
        previous: previous.length > 0 ? previous : undefined,
        targets: targets.length > 0 ? targets : undefined,
      }),
    }
  })
}

/**
 * Returns the secrets that sign links: the current secret, earlier secrets, and secrets of
 * EmailEngine. All secrets of a kind are sealed (encrypted) for the same context.
 */
export function onGetLinkSecret(deps: SecretDeps) {
  return on(getLinkSecret, async () => {
    const linkSecret = await unsealSetting(deps, 'linkSecret')
    if (linkSecret === undefined)
      throw new AppError('unavailable', 'The link secret does not exist yet, retry')
    const previous = await unsealEarlier(deps, 'linkSecret')
    const imported = await unsealEarlier(deps, 'importedLinkKey')
    return { linkSecret, ...defined({ previous, imported }) }
  })
}

/** Unseals (decrypts) the earlier secrets of links of a kind. Undefined if none exist. */
async function unsealEarlier(
  { db, unsealer }: SecretDeps,
  kind: 'linkSecret' | 'importedLinkKey',
): Promise<string[] | undefined> {
  const sealed = await listEarlierLinkSecrets(db, kind)
  if (sealed.length === 0) return undefined
  return Promise.all(sealed.map((value) => unsealer.unseal(value, settingSealContext(kind))))
}

/** Returns the API key of the AI endpoint for summaries. The result is empty if no key is set. */
export function onGetOpenAiApiKey(deps: SecretDeps) {
  return on(getOpenAiApiKey, async () =>
    defined({ openAiAPIKey: await unsealSetting(deps, 'openAiAPIKey') }),
  )
}

async function unsealSetting(
  { db, unsealer }: SecretDeps,
  key: SealedSetting,
): Promise<string | undefined> {
  const sealed = await findSealedSetting(db, key)
  return sealed === undefined ? undefined : unsealer.unseal(sealed, settingSealContext(key))
}

/**
 * Unseals (decrypts) the previous service secrets that still sign webhooks. Leaves out duplicates
 * and the current secret. All service secrets are sealed for the same context.
 */
async function unsealPrevious({ db, unsealer }: SecretDeps, current: string) {
  const rows = await listPreviousServiceSecrets(db)
  const secrets = await Promise.all(
    rows.map(async ({ sealed, until }) => ({
      serviceSecret: await unsealer.unseal(sealed, settingSealContext('serviceSecret')),
      until: until.toISOString(),
    })),
  )
  return secrets.filter(
    ({ serviceSecret }, index) =>
      !sameSecret(serviceSecret, current) &&
      secrets.findIndex((other) => sameSecret(other.serviceSecret, serviceSecret)) === index,
  )
}

async function unsealTargets(deps: SecretDeps): Promise<WebhookTargetSecret[]> {
  const text = await unsealSetting(deps, 'webhookSecrets')
  return text === undefined ? [] : check(WebhookTargetSecrets, parseObject(text))
}
