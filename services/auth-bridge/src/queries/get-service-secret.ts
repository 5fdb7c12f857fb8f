import { on } from '@posthorn/bus'
import {
  check,
  getServiceSecret,
  type WebhookTargetSecret,
  WebhookTargetSecrets,
} from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Unsealer, sameSecret } from '@posthorn/secrets'
import {
  findSealedSetting,
  listPreviousServiceSecrets,
  placeOfSetting,
} from '../store/credentials.ts'

interface Deps {
  db: Db
  opener: Unsealer
}

/** Answers with the keys that webhooks are signed with. */
export function onGetServiceSecret({ db, opener }: Deps) {
  return on(getServiceSecret, async () => {
    const sealed = await findSealedSetting(db, 'serviceSecret')
    if (sealed === undefined) throw new AppError('not-found', 'No service secret is set')
    const serviceSecret = await opener.unseal(sealed, placeOfSetting('serviceSecret'))
    const previous = await openPrevious({ db, opener }, serviceSecret)
    const targets = await openTargets({ db, opener })
    return {
      serviceSecret,
      ...(previous.length > 0 ? { previous } : {}),
      ...(targets.length > 0 ? { targets } : {}),
    }
  })
}

/** What was set again unchanged is no previous one. They were sealed where the present one is. */
async function openPrevious({ db, opener }: Deps, present: string) {
  const rows = await listPreviousServiceSecrets(db)
  const opened = await Promise.all(
    rows.map(async ({ sealed, until }) => ({
      serviceSecret: await opener.unseal(sealed, placeOfSetting('serviceSecret')),
      until: until.toISOString(),
    })),
  )
  return opened.filter(
    ({ serviceSecret }, index) =>
      !sameSecret(serviceSecret, present) &&
      opened.findIndex((other) => sameSecret(other.serviceSecret, serviceSecret)) === index,
  )
}

async function openTargets({ db, opener }: Deps): Promise<WebhookTargetSecret[]> {
  const sealed = await findSealedSetting(db, 'webhookSecrets')
  if (sealed === undefined) return []
  const text = await opener.unseal(sealed, placeOfSetting('webhookSecrets'))
  return check(WebhookTargetSecrets, JSON.parse(text))
}
