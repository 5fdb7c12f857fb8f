import type { Db, SettingsCache } from '@posthorn/db'
import { splitCredentials } from '@posthorn/net'
import type { Unsealer } from '@posthorn/secrets'
import { findSealedSetting, placeOfSetting } from '../store/credentials.ts'

export interface AddressDeps {
  db: Db
  opener: Unsealer
  settings: Pick<SettingsCache, 'get'>
}

/** The `authServer` setting. One with a login has its password hidden there, and is sealed as a whole beside it. */
export async function authServerAddress({
  db,
  opener,
  settings,
}: AddressDeps): Promise<string | undefined> {
  const { authServer } = await settings.get()
  if (!authServer || !URL.canParse(authServer)) return authServer
  if (splitCredentials(authServer).authorization === undefined) return authServer
  const sealed = await findSealedSetting(db, 'authServer')
  return sealed === undefined ? authServer : opener.unseal(sealed, placeOfSetting('authServer'))
}
