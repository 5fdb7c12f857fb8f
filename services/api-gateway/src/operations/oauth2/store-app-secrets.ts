import type { Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import {
  type AppSecretKind,
  appSecretSealContext,
  upsertAppSecret,
} from '../../store/oauth2-apps.ts'
import type { AppPlan } from './plan-app.ts'

/** Seals and stores the new secrets of an application. */
export async function storeAppSecrets(
  tx: Tx,
  { app, sealer }: { app: string; sealer: Sealer },
  secrets: AppPlan['secrets'],
): Promise<void> {
  for (const [name, secret] of Object.entries(secrets)) {
    const kind = name as AppSecretKind
    const sealed = await sealer.seal(secret, appSecretSealContext(app, kind))
    await upsertAppSecret(tx, { app, kind, sealed })
  }
}
