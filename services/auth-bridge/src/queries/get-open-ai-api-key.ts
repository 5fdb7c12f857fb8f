import { on } from '@posthorn/bus'
import { getOpenAiApiKey } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Unsealer } from '@posthorn/secrets'
import { findSealedSetting, placeOfSetting } from '../store/credentials.ts'

/** Answers with the key of the endpoint that summarises messages, if one is set: an endpoint of one's own may need none. */
export function onGetOpenAiApiKey({ db, opener }: { db: Db; opener: Unsealer }) {
  return on(getOpenAiApiKey, async () => {
    const sealed = await findSealedSetting(db, 'openAiAPIKey')
    if (sealed === undefined) return {}
    return { openAiAPIKey: await opener.unseal(sealed, placeOfSetting('openAiAPIKey')) }
  })
}
