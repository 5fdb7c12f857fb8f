import { markAppFailed, markAppWell } from '../store/oauth2-apps.ts'
import type { OAuth2Deps } from './deps.ts'
import { lastErrorOf } from './token-failure.ts'
import { TokenRefused } from './token-endpoint.ts'

/** Has a provider asked, and puts down how the application is doing by what it says. Throws what is meant for the asker. */
export async function reportApp<T>(
  { db }: Pick<OAuth2Deps, 'db'>,
  app: string,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    const answer = await ask()
    // Not worth failing for: it is told again with the next token.
    await markAppWell(db, app).catch(() => undefined)
    return answer
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error
    const { error: told, ofApplication } = error.failure
    if (ofApplication) await markAppFailed(db, app, lastErrorOf(told)).catch(() => undefined)
    throw told
  }
}
