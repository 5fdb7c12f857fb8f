import type { Tx } from '@posthorn/db'
import type { Sealer } from '@posthorn/secrets'
import { deletePassword, passwordSealContext, upsertPassword } from '../store/credentials.ts'
import type { PasswordPlan } from './plan-server.ts'

/** Seals and stores new passwords of an account, and forgets those that are not needed any more. */
export async function storePasswords(
  tx: Tx,
  { account, sealer }: { account: string; sealer: Sealer },
  passwords: readonly PasswordPlan[],
): Promise<void> {
  for (const password of passwords) {
    const { kind } = password
    if ('forget' in password) await deletePassword(tx, account, kind)
    else {
      const sealed = await sealer.seal(password.seal, passwordSealContext(account, kind))
      await upsertPassword(tx, { account, kind, sealed })
    }
  }
}
