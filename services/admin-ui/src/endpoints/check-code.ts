import type { Attempt } from '../identity/attempt-limits.ts'
import type { Identity } from '../identity/create-identity.ts'
import { checkSecondFactor } from '../identity/second-factor.ts'

/**
 * Checks a one-time code or recovery code of a person, and uses it up. If auth-bridge does not
 * respond, the code was not checked, so the attempt does not count.
 */
export async function checkCode(
  identity: Identity,
  person: string,
  { code, attempt }: { code: string; attempt: Attempt },
): Promise<boolean> {
  try {
    return await checkSecondFactor(identity, person, code)
  } catch (error) {
    await attempt.takeBack()
    throw error
  }
}
